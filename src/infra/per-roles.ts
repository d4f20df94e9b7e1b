import type { DynamicModule } from '@nestjs/common';
import type { ProcessRole } from '../config/index.js';

/**
 * A module for each set of roles, made once: Nest takes dynamic modules as the same only where they are the same object, and would have two
 * of each provider where two modules import one.
 */
export function perRoles(build: (roles: ProcessRole[]) => DynamicModule): (roles: ProcessRole[]) => DynamicModule {
  const built = new Map<string, DynamicModule>();
  return (roles) => {
    const key = [...roles].sort().join();
    const module = built.get(key) ?? build(roles);
    built.set(key, module);
    return module;
  };
}
