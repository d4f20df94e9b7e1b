import fastifyStatic from '@fastify/static';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Which page a browser gets where; the pages themselves tell the addresses below apart. */
const PAGES = {
  'index.html': ['/', '/sales/:saleId', '/orders'],
  'ops/index.html': ['/ops', '/ops/*'],
  'icon.svg': ['/icon.svg'],
};

/** Serves what Vite built of `web/`: the shop page and the operator's console. */
@Injectable()
export class WebPages implements OnModuleInit {
  private readonly logger = new Logger('Pages');

  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    // The command line builds the same modules without a server.
    const fastify = this.host.httpAdapter?.getInstance<FastifyInstance>();
    if (!fastify) return;
    const root = join(projectRoot(import.meta.dirname), 'dist', 'web');
    if (!existsSync(root)) return this.logger.warn({ msg: 'no web pages: they are not built (npm run build)' });
    // Not waited for: Fastify would take the routes there are for complete, before Nest has said who answers their errors.
    void fastify.register(async (scope) => {
      // Vite names files by what is in them, so one that is known never has to be asked for again; only the pages and their icon do.
      await scope.register(fastifyStatic, { root, serve: false, preCompressed: true, cacheControl: false });
      scope.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
        reply.header('cache-control', 'public, max-age=31536000, immutable').sendFile(`assets/${request.params['*']}`));
      for (const [file, paths] of Object.entries(PAGES)) {
        for (const path of paths) scope.get(path, (_request, reply) => reply.header('cache-control', 'no-cache').sendFile(file));
      }
    });
  }
}

/** The folder of package.json, which sources and build lie in at different depths. */
function projectRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : projectRoot(dirname(folder));
}
