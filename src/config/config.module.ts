import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Settings } from './settings.js';

/** Makes the one `Settings` object of the process injectable everywhere. */
@Global()
@Module({})
export class ConfigModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Settings, useValue: settings }],
      exports: [Settings],
    };
  }
}
