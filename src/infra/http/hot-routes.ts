import { Global, Injectable, Module } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { DomainError } from '../errors.js';
import { peekJson } from './peek-json.js';
import { problemOf, reported, type Answer } from './problem.filter.js';
import { API_HEADERS } from './security-headers.js';
import { isStopping } from './stopping.js';

/** What a hot route is asked. */
export interface HotCall {
  /** What stands in the address where the route's pattern has its group. */
  target: string;
  headers: IncomingHttpHeaders;
  /** Of a POST, the JSON that came with it. */
  body: unknown;
}

/** A good answer; `body` is sent as JSON. */
export interface HotAnswer {
  status: number;
  headers: Record<string, string>;
  body: object;
}

/** A route that a whole crowd calls at once. */
export interface HotRoute {
  method: 'GET' | 'POST';
  /** The addresses that are served here; any other form of one goes to the controller. */
  pattern: RegExp;
  /**
   * Answers a call, or null for one that the controller has to answer. What it throws becomes a problem as everywhere. A refusal that is at
   * hand is better returned: V8 looks for where each error was thrown, and never optimises a function that does nothing but throw.
   */
  handle: (call: HotCall) => HotAnswer | DomainError | Promise<HotAnswer | DomainError> | null;
}

/** Starts to answer a request, or passes it on untouched. */
export type HotListener = (request: IncomingMessage, response: ServerResponse, passOn: RequestListener) => void;

const CONSTANT_HEADERS = Object.entries(API_HEADERS).flat();
const GOOD_HEADERS = [...CONSTANT_HEADERS, 'content-type', 'application/json; charset=utf-8'];

/**
 * Routes that are answered on Node's own request and response, before Fastify and Nest see them (docs/decisions/0024). Each of them has a
 * controller, too, which documents it. Only calls that are plainly well-formed are answered here; everything else, and whatever a route
 * does not want, is passed on as it came, so that the manners of the API are kept in one place.
 */
@Injectable()
export class HotRoutes {
  private readonly routes: HotRoute[] = [];

  add(...routes: HotRoute[]): void {
    this.routes.push(...routes);
  }

  /** Serves what was added. @param server whose answers end their connections once it is stopping */
  listener(server: object): HotListener {
    return (request, response, passOn) => {
      for (const route of this.routes) {
        const target = route.method === request.method ? route.pattern.exec(request.url ?? '')?.[1] : undefined;
        if (target === undefined) continue;
        const exchange = new Exchange(server, request, response);
        const pass = (): void => void passOn(request, response);
        if (route.method === 'GET') exchange.run(route, target, undefined, pass);
        else peekJson(request, (body, putBack) => exchange.run(route, target, body, () => { putBack(); pass(); }), pass);
        return;
      }
      passOn(request, response);
    };
  }
}

/** One request and the one answer to it. */
class Exchange {
  private readonly id = randomUUID();

  constructor(
    private readonly server: object,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {}

  run(route: HotRoute, target: string, body: unknown, pass: () => void): void {
    const { headers } = this.request;
    try {
      const answer = route.handle({ target, headers, body });
      if (answer === null) pass();
      else if (answer instanceof Promise) answer.then((found) => this.answer(found), (thrown: unknown) => this.refuse(thrown));
      else this.answer(answer);
    } catch (thrown) {
      this.refuse(thrown);
    }
  }

  private answer(answer: HotAnswer | DomainError): void {
    if (answer instanceof DomainError) return this.refuse(answer);
    const { status, headers, body } = answer;
    this.send(GOOD_HEADERS, { status, headers, body: JSON.stringify(body) });
  }

  private refuse(thrown: unknown): void {
    const { method = '', url = '' } = this.request;
    this.send(CONSTANT_HEADERS, problemOf(reported(thrown, { id: this.id, method, url }), this.id));
  }

  /** A flat list of headers is what Node takes with the least work. */
  private send(always: string[], { status, headers, body }: Answer): void {
    const list = [...always, 'x-request-id', this.id, 'content-length', String(Buffer.byteLength(body))];
    for (const name in headers) list.push(name, headers[name] ?? '');
    if (isStopping(this.server)) list.push('connection', 'close');
    this.response.writeHead(status, list).end(body);
  }
}

@Global()
@Module({ providers: [HotRoutes], exports: [HotRoutes] })
export class HotRoutesModule {}
