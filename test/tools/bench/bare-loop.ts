import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from 'undici'

/** What the bare loop asks for, and where its files go; the program's argument, as JSON. */
export interface BareLoop {
  origin: string
  /** Addresses of each job's page: `{page}` and `{offset}` count from 0, `{last}` is the id of the last row seen. */
  jobs: string[]
  rowsPerPage: number
  folder: string
}

/** The bare loop that an extraction is held against: undici, JSON.parse, the same rows as CSV. Nothing else. */
export const runBareLoop = async ({ origin, jobs, rowsPerPage, folder }: BareLoop): Promise<void> => {
  const agent = new Agent()
  await Promise.all(
    jobs.map(async (address, job) => {
      const rowsFile = openSync(join(folder, `rows${job}.csv`), 'w')
      const tagsFile = openSync(join(folder, `tags${job}.csv`), 'w')
      let last = 0
      for (let page = 0; ; page++) {
        const path = address
          .replace('{page}', String(page))
          .replace('{offset}', String(page * rowsPerPage))
          .replace('{last}', String(last))
        const response = await agent.request({ origin, path, method: 'GET' })
        const rows = JSON.parse(await response.body.text()) as BenchRow[] // what makeRow made
        if (rows.length === 0) break
        let text = ''
        let tagsText = ''
        for (const row of rows) {
          const { address: place = {}, tags = [], ...scalars } = row
          for (const value of Object.values(scalars)) text += `${cell(value)},`
          for (const value of Object.values(place)) text += `${cell(value)},`
          text += `"${row.id}"\n`
          for (const tag of tags) tagsText += `${cell(tag)},"${row.id}"\n`
          last = row.id
        }
        writeSync(rowsFile, text)
        if (tagsText !== '') writeSync(tagsFile, tagsText)
      }
      closeSync(rowsFile)
      closeSync(tagsFile)
    }),
  )
  await agent.close()
}

interface BenchRow {
  id: number
  address?: Record<string, unknown>
  tags?: string[]
}

const cell = (value: unknown): string => {
  const text =
    value === null || value === undefined ? '' : value === true ? '1' : value === false ? '' : String(value)
  return `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`
}

if (import.meta.main) await runBareLoop(JSON.parse(process.argv[2] ?? '') as BareLoop) // what extract-command gives
