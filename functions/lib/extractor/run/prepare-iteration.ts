import { shortDigest } from '../../digests.ts'
import type { Json } from '../../json/json-value.ts'
import type { Authentication } from '../config/authentication-schema.ts'
import { createAuthenticator } from '../requests/authentication/create-authenticator.ts'
import type { Authenticator, AuthenticatorOptions } from '../requests/http/authenticator.ts'
import { openApi } from '../requests/http/open-api.ts'
import type { RequestOptions } from '../requests/http/page-request.ts'
import { secretColumns } from '../requests/masking/secrets-of.ts'
import { createEvaluateValues } from '../values/functions/evaluate.ts'
import type { Extraction } from './extraction.ts'
import { type JobPlan, planJobs } from './job-plan.ts'

/** What the jobs of one iteration share. */
export type Iteration = ReturnType<typeof prepareIteration>

const defaultConcurrency = 8

/**
 * Everything that one iteration needs: its own connections, headers and login
 * (docs/reference/extractor.md#iterations).
 */
export const prepareIteration = (extraction: Extraction, index: number) => {
  const { parsed, options, now } = extraction
  const { api, compat } = parsed
  const run = parsed.runs[index]
  const statistics = extraction.allStatistics[index]
  if (run === undefined || statistics === undefined) throw new Error(`No iteration ${index}`)
  const { config } = run
  const attributes = run.attributes as Record<string, Json> // parsed from JSON
  const evaluate = createEvaluateValues(now)
  const concurrency = options.concurrency ?? api.http?.maxConcurrency ?? defaultConcurrency
  const { maxRows } = options
  const plans = planJobs(config.jobs, { compatLevel: Number(config.compatLevel ?? 3), compat })
  const { fetchPage, login, disconnect } = openApi({
    ...extraction,
    run,
    attributes,
    evaluate,
    concurrency,
    signal: extraction.abort.signal,
    onRetry: () => extraction.leg.retries++,
  })
  return {
    ...extraction,
    config,
    plans,
    /** What `attr` sees. */
    attributes,
    evaluate,
    statistics,
    /** How many rows of a job a preview still shows. */
    roomOf: (plan: JobPlan): number => Math.max(0, (maxRows ?? Infinity) - statistics.of(plan).rows),
    sink: extraction.sinks.of(config),
    fetchPage,
    authenticatorOf: createAuthenticators(extraction, index, { attributes, evaluate, send: login }),
    defaults: (api.http?.defaultOptions ?? {}) as RequestOptions, // values of a configuration are JSON
    silence: compat || maxRows !== undefined ? undefined : (config.silence ?? 'warn'),
    /** Whether a field of userData is shown as `***`: in previews, what is a secret or made of one. */
    hidesColumn: maxRows === undefined ? () => false : secretColumns(run),
    concurrency,
    disconnect,
  }
}

/** The login of each job. Jobs that log in alike share it. */
const createAuthenticators = (
  { parsed, masker, now, refreshTokens, leg }: Extraction,
  index: number,
  given: Pick<AuthenticatorOptions, 'attributes' | 'evaluate' | 'send'>,
) => {
  const { api, file } = parsed
  const byAccount = new Map<string, Authenticator>()
  return ({ job }: JobPlan): Authenticator => {
    const authentication: Authentication | undefined = (job.authentication ?? api.authentication) || undefined
    const account = `${index} ${shortDigest(JSON.stringify(authentication ?? null))}`
    const known = byAccount.get(account)
    if (known !== undefined) return known
    const made = createAuthenticator({
      ...{ ...given, file, authentication, masker, now, refreshTokens, account },
      onLogin: () => leg.logins++,
      sessions: leg.sessions,
    })
    byAccount.set(account, made)
    return made
  }
}
