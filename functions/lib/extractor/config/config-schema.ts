import * as z from 'zod'
import { plainNumber } from '#lib/json/json-value.ts'
import { Api } from './api-schema.ts'
import { OAuthCredentials } from './authentication-schema.ts'
import { filePart, flag, key, list, optional, record, Scalar, strictObject, text, Value } from './fields.ts'
import { Job, Silence } from './job-schema.ts'
import { isLoginPossible, NO_LOGIN } from './response-schema.ts'

/** Keys of `parameters.config` that mean something to the extractor; every other key is a user attribute. */
const configShape = {
  jobs: key(
    list(Job).refine(jobs => jobs.length > 0, 'must hold at least one job'),
    'What to ask for; at least one.',
  ),
  debug: key(optional(Scalar), 'More log lines.', false),
  outputBucket: key(optional(filePart), 'Bucket of the tables. Without it: made from `id`, else none.'),
  id: key(optional(filePart), 'Without `outputBucket` the bucket is `ex-api-<api.name>-<id>`.'),
  incrementalOutput: key(
    optional(flag),
    'How tables are loaded, written to their manifests: `true` adds and updates rows, `false` replaces them all. Without it: as `false`, but tables of jobs that ask only for changes are updated.',
  ),
  types: key(
    optional(z.enum(['text', 'detect'])),
    'Ours: `detect` gives tables the types of JSON, see [cells](extractor-tables.md#cells).',
    'text',
  ),
  userData: key(
    optional(z.unknown()),
    'Columns added to the rows of top-level jobs: names to values or expressions with `attr` and `time`. A scalar becomes the column `userData`.',
  ),
  mappings: key(
    optional(z.preprocess(given => (Array.isArray(given) && given.length === 0 ? {} : given), record(Value))),
    'By data type: which values become which columns and tables.',
  ),
  http: key(
    optional(
      z.looseObject({
        headers: key(
          optional(record(Value)),
          'Laid over `api.http.headers`; values may be expressions with `attr`.',
        ),
      }),
    ),
    'Headers of this configuration.',
  ),
  silence: key(
    optional(Silence),
    'Ours: what becomes of a run whose job ends although the answers say that there is more, see [silence](extractor-jobs.md#silence).',
    'warn',
  ),
  compatLevel: key(
    optional(z.union([z.literal([1, 2, 3]), z.literal(['1', '2', '3']).transform(Number)])),
    'Older forms of tables.',
    3,
  ),
  compat: key(optional(flag), 'Ours: behave like Generic Extractor where we differ on purpose.', false),
}

export const configKeys = Object.keys(configShape)

/** `parameters.config` of one iteration (docs/reference/extractor.md#config). */
export const Config = z.looseObject(configShape)

export type Config = z.output<typeof Config>

const AwsSignature = strictObject({
  credentials: key(
    optional(
      strictObject({
        accessKeyId: key(optional(text), 'Required here, as the three below.'),
        '#secretKey': key(optional(text), 'The secret access key.'),
        serviceName: key(optional(text), 'Such as `execute-api`.'),
        regionName: key(optional(text), 'Such as `eu-central-1`.'),
      }),
    ),
    'What requests are signed with.',
  ),
})

const parametersShape = {
  api: key(Api, 'The API: address, credentials, pages, limits.'),
  config: key(Config, 'What is read from it, and attributes for expressions.'),
  iterations: key(
    optional(z.array(z.record(z.string(), z.unknown()))),
    'All jobs run once for each; its keys take the place of those of `config`.',
  ),
  sshProxy: key(optional(z.unknown()), 'Refused.'),
  aws: key(
    optional(
      strictObject({
        signature: key(optional(AwsSignature), 'Signs requests with AWS Signature Version 4.'),
      }),
    ),
    'Credentials of AWS.',
  ),
  cache: key(optional(z.unknown()), 'Ignored.'),
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
  scheme: key(optional(z.string()), '`http` or `https`. Without it: both.'),
  port: key(optional(z.preprocess(plainNumber, z.union([z.number(), z.string()]))), 'Without it: any.'),
  endpoint: key(optional(z.string()), 'Whole segments that the path must begin with. Without it: any path.'),
})

export type AllowedHost = z.output<typeof AllowedHost>

const tableMappings = <Shape extends z.ZodRawShape>(shape: Shape) => {
  const table = z.looseObject({ source: key(z.string(), 'Which table.'), ...shape })
  return optional(z.looseObject({ tables: key(optional(z.array(table)), 'One for each table.') }))
}

/** The part of the platform's table mapping that says how tables are loaded. The loader checks the rest. */
const StorageMapping = z.looseObject({
  input: key(
    tableMappings({
      changed_since: key(optional(Scalar), 'Iterate only over rows that changed since then.'),
    }),
    'Tables whose rows are the iterations.',
  ),
  output: key(
    tableMappings({
      primary_key: key(optional(z.array(z.string())), 'Key columns of the table.'),
      incremental: key(optional(flag), '`true`: adds and updates rows.', false),
    }),
    'How tables are loaded.',
  ),
})

const OAuthApi = z.looseObject({
  credentials: key(optional(OAuthCredentials), 'What an OAuth broker stored.'),
})

/** The whole `config.json`. The root also carries the platform's own keys, which are no concern of ours. */
export const ConfigFile = z.looseObject({
  parameters: key(Parameters, 'What is extracted, and how.'),
  authorization: key(
    optional(z.looseObject({ oauth_api: key(optional(OAuthApi), 'Of OAuth 1.0 and 2.0.') })),
    'Credentials of an OAuth broker.',
  ),
  image_parameters: key(
    optional(
      z.looseObject({
        allowed_hosts: key(optional(z.array(AllowedHost)), 'Where requests may go. Without it: anywhere.'),
      }),
    ),
    'What the operator of a component sets.',
  ),
  action: key(optional(z.string()), 'Only `run`.', 'run'),
  storage: key(optional(StorageMapping).catch(undefined), "The platform's mapping of tables."),
})

export type ConfigFile = z.output<typeof ConfigFile>
