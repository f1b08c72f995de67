import * as z from 'zod'
import { plainNumber } from '#lib/json/json-value.ts'
import { Api } from './api-schema.ts'
import { OAuthCredentials } from './authentication-schema.ts'
import {
  filePart,
  flag,
  key,
  list,
  maybe,
  optional,
  record,
  Scalar,
  strictObject,
  text,
  Value,
} from './fields.ts'
import { Job, Silence } from './job-schema.ts'
import { isLoginPossible, NO_LOGIN } from './response-schema.ts'

/** Keys of `parameters.config` that mean something to the extractor; every other key is a user attribute. */
const configShape = {
  jobs: key(
    list(Job).refine(jobs => jobs.length > 0, 'must hold at least one job'),
    'What to ask for; at least one.',
  ),
  debug: maybe(Scalar, 'More log lines.', false),
  outputBucket: maybe(filePart, 'Bucket of the tables. Without it: made from `id`, else none.'),
  id: maybe(filePart, 'Without `outputBucket` the bucket is `ex-api-<api.name>-<id>`.'),
  incrementalOutput: maybe(
    flag,
    'How tables are loaded, written to their manifests: `true` adds and updates rows, `false` replaces them all. Without it: as `false`, but tables of jobs that ask only for changes are updated.',
  ),
  types: maybe(
    z.enum(['text', 'detect']),
    'Ours: `detect` gives tables the types of JSON, see [cells](extractor-tables.md#cells).',
    'text',
  ),
  userData: maybe(
    z.unknown(),
    'Columns added to the rows of top-level jobs: names to values or expressions with `attr` and `time`. A scalar becomes the column `userData`.',
  ),
  mappings: maybe(
    z.preprocess(given => (Array.isArray(given) && given.length === 0 ? {} : given), record(Value)),
    'By data type: which values become which columns and tables.',
  ),
  http: maybe(
    z.looseObject({
      headers: maybe(record(Value), 'Laid over `api.http.headers`; values may be expressions with `attr`.'),
    }),
    'Headers of this configuration.',
  ),
  silence: maybe(
    Silence,
    'Ours: what becomes of a run whose job ends although the answers say that there is more, see [silence](extractor-jobs.md#silence).',
    'warn',
  ),
  compatLevel: maybe(
    z.union([z.literal([1, 2, 3]), z.literal(['1', '2', '3']).transform(Number)]),
    'Older forms of tables.',
    3,
  ),
  compat: maybe(flag, 'Ours: behave like Generic Extractor where we differ on purpose.', false),
}

export const configKeys = Object.keys(configShape)

/** `parameters.config` of one iteration (docs/reference/extractor.md#config). */
export const Config = z.looseObject(configShape)

export type Config = z.output<typeof Config>

const AwsSignature = strictObject({
  credentials: maybe(
    strictObject({
      accessKeyId: maybe(text, 'Required here, as the three below.'),
      '#secretKey': maybe(text, 'The secret access key.'),
      serviceName: maybe(text, 'Such as `execute-api`.'),
      regionName: maybe(text, 'Such as `eu-central-1`.'),
    }),
    'What requests are signed with.',
  ),
})

const parametersShape = {
  api: key(Api, 'The API: address, credentials, pages, limits.'),
  config: key(Config, 'What is read from it, and attributes for expressions.'),
  iterations: maybe(
    z.array(z.record(z.string(), z.unknown())),
    'All jobs run once for each; its keys take the place of those of `config`.',
  ),
  sshProxy: maybe(z.unknown(), 'Refused.'),
  aws: maybe(
    strictObject({
      signature: maybe(AwsSignature, 'Signs requests with AWS Signature Version 4.'),
    }),
    'Credentials of AWS.',
  ),
  cache: maybe(z.unknown(), 'Ignored.'),
}

const Parameters = strictObject(parametersShape).superRefine(({ api, config }, context) => {
  const check = (jobs: readonly Job[], path: PropertyKey[]): void => {
    for (const [
      index,
      { authentication = api.authentication, errorRules, children = [] },
    ] of jobs.entries()) {
      const at = [...path, index]
      if (!isLoginPossible(authentication, errorRules))
        context.addIssue({ code: 'custom', path: [...at, 'errorRules'], message: NO_LOGIN })
      check(children, [...at, 'children'])
    }
  }
  check(config.jobs, ['config', 'jobs'])
})

/** `image_parameters.allowed_hosts`: where jobs may go. */
export const AllowedHost = z.looseObject({
  host: key(z.string(), 'The exact host name, or a whole address.'),
  scheme: maybe(z.string(), '`http` or `https`. Without it: both.'),
  port: maybe(z.preprocess(plainNumber, z.union([z.number(), z.string()])), 'Without it: any.'),
  endpoint: maybe(z.string(), 'Whole segments that the path must begin with. Without it: any path.'),
})

export type AllowedHost = z.output<typeof AllowedHost>

const tableMappings = <Shape extends z.ZodRawShape>(shape: Shape) => {
  const table = z.looseObject({ source: key(z.string(), 'Which table.'), ...shape })
  return optional(z.looseObject({ tables: maybe(z.array(table), 'One for each table.') }))
}

/** The part of the platform's table mapping that says how tables are loaded. The loader checks the rest. */
const StorageMapping = z.looseObject({
  input: key(
    tableMappings({
      changed_since: maybe(Scalar, 'Iterate only over rows that changed since then.'),
    }),
    'Tables whose rows are the iterations.',
  ),
  output: key(
    tableMappings({
      primary_key: maybe(z.array(z.string()), 'Key columns of the table.'),
      incremental: maybe(flag, '`true`: adds and updates rows.', false),
    }),
    'How tables are loaded.',
  ),
})

const OAuthApi = z.looseObject({
  credentials: maybe(OAuthCredentials, 'What an OAuth broker stored.'),
})

/** The whole `config.json`. The root also carries the platform's own keys, which are no concern of ours. */
export const ConfigFile = z.looseObject({
  parameters: key(Parameters, 'What is extracted, and how.'),
  authorization: maybe(
    z.looseObject({ oauth_api: maybe(OAuthApi, 'Of OAuth 1.0 and 2.0.') }),
    'Credentials of an OAuth broker.',
  ),
  image_parameters: maybe(
    z.looseObject({
      allowed_hosts: maybe(z.array(AllowedHost), 'Where requests may go. Without it: anywhere.'),
    }),
    'What the operator of a component sets.',
  ),
  action: maybe(z.string(), 'Only `run`.', 'run'),
  storage: key(optional(StorageMapping).catch(undefined), "The platform's mapping of tables."),
})

export type ConfigFile = z.output<typeof ConfigFile>
