import helmet from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * The security headers of every answer, by name. They are the same for all requests, so helmet is asked once: per request it costs more
 * than everything else that Fastify does for it.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = ask();

function ask(): Record<string, string> {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  helmet({ contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } })(response.req, response, () => undefined);
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
}
