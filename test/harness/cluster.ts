import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedisNode, type RedisNode } from '../../scripts/lib/services.mjs';
import { until } from './until.js';

const SLOTS = 16384;

/** A Redis Cluster of masters without replicas, whose nodes share the slots evenly. */
export class TestCluster {
  private constructor(readonly nodes: RedisNode[]) {}

  static async start(dataDir: string, masters = 1): Promise<TestCluster> {
    const nodes: RedisNode[] = [];
    for (let index = 0; index < masters; index += 1) {
      const settings = { enabled: 'yes', 'announce-ip': '127.0.0.1', port: await freePort() };
      const extraArgs = Object.entries(settings).flatMap(([name, value]) => [`--cluster-${name}`, String(value)]);
      nodes.push(await startRedisNode({ dataDir: join(dataDir, `node-${index}`), extraArgs: [...extraArgs, '--cluster-node-timeout', '2000'] }));
    }
    const cluster = new TestCluster(nodes);
    await cluster.join();
    return cluster;
  }

  /** As the setting `REDIS_CLUSTER_NODES` takes them. */
  get addresses(): string {
    return this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  private async join(): Promise<void> {
    const share = SLOTS / this.nodes.length;
    for (const [index, node] of this.nodes.entries()) {
      const admin = new Redis(node.url);
      await admin.cluster('ADDSLOTSRANGE', Math.ceil(index * share), Math.ceil((index + 1) * share) - 1);
      const [first] = this.nodes;
      if (first && node !== first) await admin.call('CLUSTER', 'MEET', '127.0.0.1', String(first.port), await busPort(first));
      admin.disconnect();
    }
    for (const node of this.nodes) {
      const admin = new Redis(node.url);
      await until('the cluster to be whole', async () => isWhole(await admin.cluster('INFO'), this.nodes.length));
      admin.disconnect();
    }
  }
}

const isWhole = (info: string, masters: number): boolean => info.includes('cluster_state:ok') && info.includes(`cluster_size:${masters}`);

async function busPort(node: RedisNode): Promise<string> {
  const admin = new Redis(node.url);
  const [, port = ''] = (await admin.config('GET', 'cluster-port')) as string[];
  admin.disconnect();
  return port;
}

/** For the cluster's bus, whose usual port, 10,000 above the server's, may not exist. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
