import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { readSettings } from './config/index.js';
import { describeApi, setPrefix } from './infra/http/index.js';

/**
 * Prints the OpenAPI document, from which the web pages take their types. Nothing is connected to: in preview mode Nest looks at the
 * controllers without building what they need.
 */
const settings = readSettings({ DATABASE_URL: 'mysql://nowhere', REDIS_URL: 'redis://nowhere', ROLE: 'all' });
const app = await NestFactory.create(AppModule.for(settings), new FastifyAdapter(), { preview: true, logger: false, abortOnError: false });
setPrefix(app);
process.stdout.write(JSON.stringify(describeApi(app)));
