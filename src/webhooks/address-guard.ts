import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Settings } from '../config/index.js';
import { DomainError, reasonOf } from '../infra/errors.js';
import { resolver, type Resolve } from './name-resolution.js';

/** Looks public, and leads a machine of Azure to its own host. */
const HOST_OF_CLOUD = ['168.63.129.16'];
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/**
 * Keeps deliveries out of our own network: an operator's address, or what its name leads to, must be one of the public internet, unless
 * WEBHOOK_ALLOW_PRIVATE says otherwise. Names are looked up at registration and, through `lookup`, for each connection: the address that was
 * checked is the one that is connected to, whatever the name says a moment later (DNS rebinding).
 */
@Injectable()
export class AddressGuard {
  resolve: Resolve = resolver();

  constructor(private readonly settings: Settings) {}

  /** For registration. @throws DomainError WEBHOOK_URL_REFUSED */
  async check(url: string): Promise<void> {
    const fault = this.faultOf(url) ?? (await this.faultOfName(new URL(url).hostname));
    if (fault !== undefined) throw new DomainError('WEBHOOK_URL_REFUSED', `This address can not be used: ${fault}.`);
  }

  /** What is wrong with an address as it is written; a host that is an address itself is never looked up, and so judged here. */
  faultOf(text: string): string | undefined {
    if (!URL.canParse(text)) return 'it can not be read as an address';
    const url = new URL(text);
    const protocols = this.settings.WEBHOOK_ALLOW_PRIVATE ? ['https:', 'http:'] : ['https:'];
    if (!protocols.includes(url.protocol)) return `it must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
    if (url.username !== '' || url.password !== '') return 'it must not name a user or password';
    const host = bare(url.hostname);
    return isIP(host) !== 0 && !this.allows(host) ? 'it is not on the public internet' : undefined;
  }

  /** For connections: fails where one of the name's addresses is not public. */
  readonly lookup: LookupFunction = (host, options, callback) => {
    this.resolve(host, options, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(unresolved(host, error), '');
      if (!addresses.every(({ address }) => this.allows(address))) return callback(new Error(`${host} is not on the public internet`), '');
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

  private faultOfName(hostname: string): Promise<string | undefined> {
    if (isIP(bare(hostname)) !== 0) return Promise.resolve(undefined);
    return new Promise((done) => this.lookup(hostname, { all: true }, (error) => done(error ? reasonOf(error) : undefined)));
  }

  private allows(address: string): boolean {
    return this.settings.WEBHOOK_ALLOW_PRIVATE || isPublic(address);
  }
}

/** DNS has said that there is no such name, or no address for it; anything else is a fault that may pass. */
const NO_SUCH_NAME: unknown[] = ['ENOTFOUND', 'ENODATA'];

function unresolved(host: string, cause: NodeJS.ErrnoException | null): Error {
  const isUnknown = cause === null || NO_SUCH_NAME.includes(cause.code);
  return new Error(isUnknown ? `there is no address for the name ${host}` : `the name ${host} can not be looked up right now`, { cause });
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Whether an IP address is one of the public internet; an IPv4 address inside an IPv6 one is judged as what it is. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address) || HOST_OF_CLOUD.includes(ipaddr.process(address).toString())) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6));
}
