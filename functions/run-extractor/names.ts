/* Names on which the function, its machine and its bucket's rules agree. Constants only: infra/ imports this file. */

/** The steps of a run, in the words of the extract machine. */
export const runSteps = ['begin', 'inputs', 'leg', 'load', 'end', 'fail'] as const

export type RunStep = (typeof runSteps)[number]

/** Two days: far more than any extraction takes, its waiting for an earlier run of the configuration included. */
export const LONGEST_RUN_SECONDS = 2 * 86_400

/** No key has this ARN. */
export const NO_KEY_OF_OURS = 'NONE'

/** Folder of the leases of configurations in the work bucket. */
export const LEASES_PREFIX = 'leases/'
