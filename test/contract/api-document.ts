import type { Shop } from '../harness/shop.js';

export interface Route {
  method: string;
  /** Below `/api`, with `{parameters}`. */
  path: string;
  summary: string | undefined;
  /** Status → media types of the answers that the document names. */
  answers: Record<string, string[]>;
  /** Error codes named by the answers' descriptions. */
  codes: string[];
  isGuarded: boolean;
}

export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  /** `true`: of any form */
  additionalProperties?: Schema | true;
  oneOf?: Schema[];
  required?: string[];
  items?: Schema;
}

interface Operation {
  summary?: string;
  security?: unknown[];
  responses: Record<string, { description?: string; content?: Record<string, { schema: Schema }> }>;
}

/** The OpenAPI document the service serves, as tests look at it. */
export class ApiDocument {
  private constructor(
    private readonly paths: Record<string, Record<string, Operation>>,
    readonly schemas: Record<string, Schema>,
  ) {}

  static async of(shop: Shop): Promise<ApiDocument> {
    const response = await fetch(new URL('/docs-json', shop.api.base));
    const document = (await response.json()) as { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };
    return new ApiDocument(document.paths, document.components.schemas);
  }

  get routes(): Route[] {
    return Object.entries(this.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { summary, responses, security }]) => ({
        summary,
        method: method.toUpperCase(),
        path: path.replace(/^\/api/, ''),
        answers: Object.fromEntries(Object.entries(responses).map(([status, { content }]) => [status, Object.keys(content ?? {})])),
        codes: Object.values(responses).flatMap(({ description }) => description?.match(/\b[A-Z]+(_[A-Z]+)*\b/g) ?? []),
        isGuarded: (security ?? []).length > 0,
      })),
    );
  }

  /** What an answer of a route has that its schema does not allow. */
  faultsOf(method: string, path: string, status: number, body: unknown): string[] {
    const schema = this.paths[`/api${path}`]?.[method.toLowerCase()]?.responses[status]?.content?.['application/json']?.schema;
    return schema ? this.faults(body, schema, 'body') : [`no JSON answer ${status} is documented`];
  }

  private faults(value: unknown, given: Schema, at: string): string[] {
    const schema = this.resolve(given);
    if (schema.oneOf) {
      const [first = [], ...others] = schema.oneOf.map((one) => this.faults(value, one, at));
      return others.some((faults) => faults.length === 0) ? [] : first;
    }
    if (value === null) return schema.nullable ? [] : [`${at} is null`];
    if (schema.enum && !schema.enum.includes(value)) return [`${at} is ${JSON.stringify(value)}`];
    if (Array.isArray(value)) return schema.type === 'array' ? value.flatMap((entry, i) => this.faults(entry, schema.items ?? {}, `${at}.${i}`)) : [`${at} is a list`];
    if (typeof value === 'object') return this.faultsOfObject(value as Record<string, unknown>, schema, at);
    const type = schema.type === 'integer' && Number.isSafeInteger(value) ? 'integer' : typeof value;
    return schema.type === type ? [] : [`${at} is ${typeof value} ${JSON.stringify(value)} instead of ${schema.type}`];
  }

  private faultsOfObject(value: Record<string, unknown>, { type, properties = {}, required = [], additionalProperties }: Schema, at: string): string[] {
    if (type !== 'object') return [`${at} is an object`];
    const missing = required.filter((name) => value[name] === undefined).map((name) => `${at}.${name} is missing`);
    const wrong = Object.entries(value).flatMap(([name, member]) => {
      const schema = properties[name] ?? additionalProperties;
      if (schema === true) return [];
      return schema ? this.faults(member, schema, `${at}.${name}`) : [`${at}.${name} is not documented`];
    });
    return [...missing, ...wrong];
  }

  private resolve({ $ref, allOf, ...rest }: Schema): Schema {
    const refs = [$ref, ...(allOf ?? []).map((part) => part.$ref)].filter((ref) => ref !== undefined);
    return refs.reduce<Schema>((schema, ref) => ({ ...this.schemas[ref.replace('#/components/schemas/', '')], ...schema }), rest);
  }
}
