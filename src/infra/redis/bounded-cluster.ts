import { Cluster, type Command } from 'ioredis';

/**
 * A cluster client whose commands end in time wherever they are. ioredis bounds only what it has handed to a node: a command that waits for
 * the cluster to come back, or goes from node to node, would wait without end (redis/ioredis 1604).
 */
export class BoundedCluster extends Cluster {
  override sendCommand(command: Command, ...rest: SendArguments): unknown {
    const timeoutMs = this.options.redisOptions?.commandTimeout;
    // A node that gets the command afterwards leaves a timer that is set already as it is.
    if (timeoutMs !== undefined) command.setTimeout(timeoutMs);
    return super.sendCommand(command, ...rest);
  }
}

type SendArguments = Parameters<Cluster['sendCommand']> extends [unknown, ...infer Rest] ? Rest : never;
