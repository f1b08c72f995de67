import { hexDigest } from '../digests.ts'

/** What somebody says about the tables that a run holds back. */
export const decisions = ['approve', 'reject'] as const

export type Decision = (typeof decisions)[number]

/** Name of the execution that carries out the one decision about a run: Step Functions starts no second of a name. */
export const decisionName = (runId: string): string => `run-decision-${hexDigest(runId, 32)}`
