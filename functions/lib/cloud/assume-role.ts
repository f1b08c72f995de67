import { host } from './host.ts'
import type { AssumeRole } from './roles.ts'

// STS API Reference, "AssumeRole": the text of a session policy.
const MOST_CHARACTERS = 2048

export const withinLimit =
  (assume: AssumeRole): AssumeRole =>
  async asked =>
    asked.policy.length > MOST_CHARACTERS ? undefined : assume(asked)

/** STS is loaded where there is no host. */
export const assumeRole = withinLimit(async asked =>
  (host().assumeRole ?? (await import('./sts.ts')).assumeRoleOfSts)(asked),
)
