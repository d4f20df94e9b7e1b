import { readdir, stat, truncate } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import type { TestSale } from '../../harness/shop.js';
import type { Deployment } from './deployment.js';

export async function flushAll(deployment: Deployment): Promise<void> {
  deployment.forgetShoppers();
  await deployment.redis.flushall();
}

export async function restartRedis({ services }: Deployment): Promise<void> {
  await services.redis.kill('SIGKILL');
  await services.redis.start();
}

/** Cuts the AOF back to what it was a second and a half before the crash, which is what `everysec` may lose and a little more. */
export async function loseLastSecond(deployment: Deployment): Promise<void> {
  const { services, dir } = deployment;
  const [file] = (await readdir(join(dir, 'redis', 'appendonlydir'))).filter((name) => name.endsWith('.incr.aof')).sort().slice(-1);
  const path = join(dir, 'redis', 'appendonlydir', file ?? '');
  const { size } = await stat(path);
  await delay(1500);
  await services.redis.kill('SIGKILL');
  deployment.forgetShoppers();
  await truncate(path, size);
  await services.redis.start();
}

export async function fillMemory({ redis }: Deployment): Promise<void> {
  await redis.config('SET', 'maxmemory', '1mb');
  await delay(5000);
  await redis.config('SET', 'maxmemory', '0');
}

export async function loseJobs({ redis }: Deployment): Promise<void> {
  const keys = await redis.keys('{seckill-bull}:*');
  if (keys.length > 0) await redis.del(...keys);
}

export async function thawAfter({ processes }: Deployment, ms: number): Promise<void> {
  await delay(ms);
  for (const service of processes) service.signal('SIGCONT');
}

export async function stopMysql({ services }: Deployment): Promise<void> {
  await services.mysql.stop();
  await delay(8000);
  await services.mysql.start();
}

/** Takes every connection that the database has to give, for 8 s; only its administrator gets in besides. */
export async function hoardConnections({ services, database }: Deployment): Promise<void> {
  const [rows] = await database.query<RowDataPacket[]>('SELECT @@socket AS path, @@max_connections AS most');
  const admin = await createConnection({ socketPath: rows[0]?.path, user: userInfo().username });
  await admin.query('SET GLOBAL max_connections = 10');
  const hoard: Connection[] = [];
  for (const endMs = Date.now() + 8000; Date.now() < endMs; await delay(100)) {
    const own = [0, ...hoard.map((connection) => connection.threadId)];
    const [others] = await admin.query<RowDataPacket[]>("SELECT id FROM information_schema.processlist WHERE user = 'seckill' AND id NOT IN (?)", [own]);
    for (const { id } of others) await admin.query(`KILL ${id}`).catch(() => undefined);
    while (hoard.length < 11) {
      const connection = await createConnection(services.databaseUrl).catch(() => undefined);
      if (!connection) break;
      connection.on('error', () => undefined);
      hoard.push(connection);
    }
  }
  for (const connection of hoard) connection.destroy();
  await admin.query(`SET GLOBAL max_connections = ${Number(rows[0]?.most)}`);
  await admin.end();
}

export async function holdSaleRow({ database }: Deployment, sale: TestSale): Promise<void> {
  const connection = await database.getConnection();
  await connection.beginTransaction();
  await connection.query('SELECT id FROM sales WHERE id = ? FOR UPDATE', [sale.id]);
  await delay(8000);
  await connection.rollback();
  connection.release();
}

export async function restartMysql({ services }: Deployment): Promise<void> {
  await services.mysql.kill('SIGKILL');
  await services.mysql.start();
}

export async function freeze({ services }: Deployment, name: 'redis' | 'mysql'): Promise<void> {
  services[name].freeze();
  await delay(10_000);
  services[name].thaw();
}

export async function cutConnections({ redis: own }: Deployment): Promise<void> {
  await own.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await own.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes');
}

export async function repeatedly(work: () => Promise<void>): Promise<void> {
  for (let i = 0; i < 10; i += 1) {
    await work();
    await delay(50);
  }
}
