/** What a sweep looks at. Each kind has a schedule and invocations of its own. Constants only: infra/ imports this file. */
export const sweepKinds = ['files', 'file-objects', 'table-snapshots', 'table-objects'] as const

export type SweepKind = (typeof sweepKinds)[number]
