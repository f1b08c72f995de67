import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../functions/lib/json/json-value.ts'
import type { Draft } from '../functions/lib/onboarding/detect/draft.ts'
import { onePage, runTrial } from '../functions/lib/onboarding/detect/trial.ts'

interface TriedStream {
  job: string
  rows: number
  problem?: string
}

/** Asks the API for one page of each job and of each job below it. Nothing is kept. */
export const tryStreams = async ({ parameters }: Draft): Promise<TriedStream[]> => {
  const tried: TriedStream[] = []
  for (const job of parameters.config.jobs) {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-try-'))
    try {
      const draft = onePage({ parameters: { ...parameters, config: { ...parameters.config, jobs: [job] } } })
      const { result, error, answers } = await runTrial({
        draft,
        folder,
        requests: streamsIn(job),
        maxRows: 100,
      })
      const failed = answers.find(({ status }) => status >= 400)
      const problem = error?.message ?? (failed && `it was answered with ${failed.status}`)
      const rows = (result?.finished === true ? result.tables : []).reduce(
        (sum, table) => sum + table.rows,
        0,
      )
      tried.push({
        job: String(job['id'] ?? job['endpoint']),
        rows,
        ...(problem === undefined ? {} : { problem }),
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return tried
}

const streamsIn = (job: JsonObject): number =>
  1 + [job['children'] ?? []].flat().reduce<number>((sum, child) => sum + streamsIn(child as JsonObject), 0) // made by us
