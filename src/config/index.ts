export { readEnvironment } from './environment.js';
export { ConfigModule } from './config.module.js';
export { LOCAL_SECRETS, readSettings, ROLES, Settings, SettingsError, type ProcessRole } from './settings.js';
