import { lookup, Resolver, type LookupAddress, type LookupOptions } from 'node:dns';
import { promisify } from 'node:util';

export type Resolve = (host: string, options: LookupOptions, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;

/** Two tries, the second twice as long, are over before a request is. */
const [TIMEOUT_MS, TRIES] = [1000, 2];
const SILENT = ['ETIMEOUT', 'ECANCELLED'];
/** Names of this machine (RFC 6761, 6.3): no name server knows better, and one may not even answer. */
const OF_THIS_MACHINE = /(^|\.)localhost\.?$/i;

/**
 * Looks names up so that one whose servers do not answer holds up no other. The system's own resolver (`dns.lookup`) works on the few threads of
 * libuv, of which it may have half: two silent names stop it for everybody. So DNS is asked directly, on sockets, and the system only where
 * DNS did answer, but knows no such name: it may stand in /etc/hosts, or have a search domain.
 * @param servers addresses with ports in the place of the system's DNS servers
 */
export function resolver(servers?: string[]): Resolve {
  return (host, options, done) => {
    if (OF_THIS_MACHINE.test(host)) return lookup(host, { ...options, all: true }, done);
    ask(host, servers).then(
      (addresses) => done(null, addresses),
      (error: NodeJS.ErrnoException) => (SILENT.includes(error.code ?? '') ? done(error, []) : lookup(host, { ...options, all: true }, done)),
    );
  };
}

/** Addresses of both families. @throws Error of the one that says more where there is none of either */
async function ask(host: string, servers: string[] | undefined): Promise<LookupAddress[]> {
  const dns = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers) dns.setServers(servers);
  const [four, six] = await Promise.allSettled([promisify(dns.resolve4.bind(dns) as Ask)(host), promisify(dns.resolve6.bind(dns) as Ask)(host)]);
  const addresses = [...addressesOf(four, 4), ...addressesOf(six, 6)];
  if (addresses.length > 0) return addresses;
  const failures = [four, six].flatMap((asked) => (asked.status === 'rejected' ? [asked.reason as NodeJS.ErrnoException] : []));
  throw failures.find(({ code }) => SILENT.includes(code ?? '')) ?? failures[0] ?? new Error(`${host} has no address`);
}

type Ask = (host: string, done: (error: NodeJS.ErrnoException | null, addresses: string[]) => void) => void;

const addressesOf = (asked: PromiseSettledResult<string[]>, family: number): LookupAddress[] =>
  (asked.status === 'fulfilled' ? asked.value : []).map((address) => ({ address, family }));
