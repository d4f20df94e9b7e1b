import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

/** Every route is below `/api` but what probes and collectors ask for. */
const PREFIX = 'api';
const NOT_PREFIXED = ['health/live', 'health/ready', 'metrics'];

const OPEN_API = new DocumentBuilder()
  .setTitle('Seckill')
  .setDescription('Flash-sale order service: join a sale, follow the ticket, pay the order.')
  .setVersion('1')
  .addBearerAuth()
  .build();

/** Sets where the routes of an application are found. */
export function setPrefix(app: INestApplication): void {
  app.setGlobalPrefix(PREFIX, { exclude: NOT_PREFIXED });
}

/** The OpenAPI document of an application whose prefix is set; its providers need not have been built. */
export const describeApi = (app: INestApplication): OpenAPIObject => SwaggerModule.createDocument(app, OPEN_API);

/** Shows it at `/docs`, and as JSON at `/docs-json`. */
export function setUpDocs(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => describeApi(app), { jsonDocumentUrl: 'docs-json' });
}
