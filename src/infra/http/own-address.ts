import type { Server } from 'node:http';
import type { Settings } from '../../config/index.js';

/**
 * Where a process on this machine finds the service. PORT 0 means that only the bound socket knows it.
 * @param server of a process that listens itself
 */
export function ownAddress({ HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>, server?: Server): string {
  const bound = server?.address();
  return `http://${reachable(HOST)}:${typeof bound === 'object' && bound !== null ? bound.port : PORT}`;
}

/** A listening address as one to call: "every interface" is reached through the loopback, IPv6 stands in brackets. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
