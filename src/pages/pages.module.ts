import { Module } from '@nestjs/common';
import { WebPages } from './web-pages.js';

/** What people look at with a browser, for the api role. */
@Module({ providers: [WebPages] })
export class PagesModule {}
