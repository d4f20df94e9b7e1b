import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { QueueDashboard } from './queue-dashboard.js';
import { QueueDashboardController } from './queue-dashboard.controller.js';
import { WebPages } from './web-pages.js';

/** What people look at with a browser, for the api role. */
@Module({ imports: [AuthModule], controllers: [QueueDashboardController], providers: [WebPages, QueueDashboard] })
export class PagesModule {}
