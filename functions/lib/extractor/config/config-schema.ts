import * as z from 'zod'
import { Api } from './api-schema.ts'
import { OAuthCredentials } from './authentication-schema.ts'
import { filePart, flag, list, optional, record, Scalar, text, Value } from './fields.ts'
import { Job } from './job-schema.ts'
import { strictObject } from './strict-object.ts'

/** Keys of `parameters.config` that mean something to the extractor; every other key is a user attribute. */
const configShape = {
  jobs: list(Job).refine(jobs => jobs.length > 0, 'must hold at least one job'),
  debug: optional(Scalar),
  outputBucket: optional(filePart),
  id: optional(filePart),
  incrementalOutput: optional(flag),
  userData: optional(z.unknown()),
  mappings: optional(
    z.preprocess(given => (Array.isArray(given) && given.length === 0 ? {} : given), record(Value)),
  ),
  http: optional(z.looseObject({ headers: optional(record(Value)) })),
  compatLevel: optional(z.union([z.literal([1, 2, 3]), z.literal(['1', '2', '3']).transform(Number)])),
  compat: optional(flag),
}

export const configKeys = Object.keys(configShape)

/** `parameters.config` of one iteration (docs/reference/extractor.md#config). */
export const Config = z.looseObject(configShape)

export type Config = z.output<typeof Config>

const AwsSignature = strictObject({
  credentials: optional(
    strictObject({
      accessKeyId: optional(text),
      '#secretKey': optional(text),
      serviceName: optional(text),
      regionName: optional(text),
    }),
  ),
})

const parametersShape = {
  api: Api,
  config: Config,
  iterations: optional(z.array(z.record(z.string(), z.unknown()))),
  sshProxy: optional(z.unknown()),
  aws: optional(strictObject({ signature: optional(AwsSignature) })),
  cache: optional(z.unknown()),
}

const Parameters = strictObject(parametersShape)

/** `image_parameters.allowed_hosts`: where jobs may go. */
export const AllowedHost = z.looseObject({
  host: z.string(),
  scheme: optional(z.string()),
  port: optional(z.union([z.number(), z.string()])),
  endpoint: optional(z.string()),
})

export type AllowedHost = z.output<typeof AllowedHost>

const tableMappings = <Shape extends z.ZodRawShape>(shape: Shape) =>
  optional(z.looseObject({ tables: optional(z.array(z.looseObject({ source: z.string(), ...shape }))) }))

/** The part of the platform's table mapping that says how tables are loaded. The loader checks the rest. */
const StorageMapping = z.looseObject({
  input: tableMappings({ changed_since: optional(Scalar) }),
  output: tableMappings({ primary_key: optional(z.array(z.string())), incremental: optional(flag) }),
})

/** The whole `config.json`. The root also carries the platform's own keys, which are no concern of ours. */
export const ConfigFile = z.looseObject({
  parameters: Parameters,
  authorization: optional(
    z.looseObject({ oauth_api: optional(z.looseObject({ credentials: optional(OAuthCredentials) })) }),
  ),
  image_parameters: optional(z.looseObject({ allowed_hosts: optional(z.array(AllowedHost)) })),
  action: optional(z.string()),
  storage: optional(StorageMapping).catch(undefined),
})

export type ConfigFile = z.output<typeof ConfigFile>
