import helmet, { type HelmetOptions } from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * The security headers of the answers that are pages, by name. They are the same for all requests, so helmet is asked once: per request it
 * costs more than everything else that Fastify does for it. Pictures of goods may lie on any other server.
 */
export const PAGE_HEADERS = ask({ contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null, 'img-src': ["'self'", 'data:', 'https:'], 'style-src': ["'self'", "'unsafe-inline'"], 'font-src': ["'self'", 'data:'] } } });

/** Those of all other answers. Nothing of them is ever shown, so nothing is allowed, and what is said to pages alone is left out. */
export const API_HEADERS = ask({
  contentSecurityPolicy: { useDefaults: false, directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] } },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

const OF_PAGES = /^\/(?:$|\?|docs|ops|sales|orders|assets)/;

/** @param path of a request */
export const securityHeaders = (path: string): Readonly<Record<string, string>> => (OF_PAGES.test(path) ? PAGE_HEADERS : API_HEADERS);

function ask(options: HelmetOptions): Readonly<Record<string, string>> {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  helmet(options)(response.req, response, () => undefined);
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
}
