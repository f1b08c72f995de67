/** The steps of a run, in the words of the extract machine. Constants only: infra/ imports this file. */
export const runSteps = ['begin', 'inputs', 'leg', 'load', 'save', 'end', 'fail'] as const

export type RunStep = (typeof runSteps)[number]

/** What the machine does next: a step, or nothing more because another run of the configuration is under way. */
export type NextStep = Exclude<RunStep, 'fail'> | 'skipped'

/** Two days: far more than any extraction takes, its waiting for an earlier run of the configuration included. */
export const LONGEST_RUN_SECONDS = 2 * 86_400
