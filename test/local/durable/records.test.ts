import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { emptyModel, findLosses, prepare, writeAll } from './model.ts'
import { openStores } from './stores.ts'

const folder = folderUntilEnd()
const files = new DurableFiles()

it.each([
  ['executions', '.json', ''],
  ['executions', '.json', '{"executionArn":"arn:run-0","sta'],
  ['keys', '.key', ''],
  ['secrets', '.secret', ''],
  ['.', 'root-credentials.json', '{"accessKeyId":'],
])(
  'a record in %s that cannot be read is set aside by name, and the start goes on',
  async (place, ending, content) => {
    const dataDir = join(folder, `${place}${content.length}`)
    mkdirSync(dataDir, { recursive: true })
    const first = await openStores(dataDir, files, () => {})
    const model = emptyModel()
    await prepare(first)
    await writeAll(first, model, 2)
    await first.close()
    const inPlace = (await readdir(join(dataDir, place))).find(name => name.endsWith(ending)) ?? ''
    const path = join(dataDir, place, inPlace)
    writeFileSync(path, content)
    writeFileSync(`${path}.0.tmp`, 'half a rec')

    const lines: string[] = []
    const second = await openStores(dataDir, files, line => lines.push(line))
    try {
      expect(lines).toEqual([expect.stringContaining(path)])
      expect(lines[0]).toContain(`${path}.unreadable`)
      expect(readFileSync(`${path}.unreadable`, 'utf8')).toBe(content)
      expect((await readdir(join(dataDir, place))).filter(name => name.endsWith('.tmp'))).toEqual([])
      // All that was not in that one record.
      expect((await findLosses(second, model)).length).toBeLessThanOrEqual(1)
    } finally {
      await second.close()
    }
    const later: string[] = []
    await (await openStores(dataDir, files, line => later.push(line))).close()
    expect(later).toEqual([])
  },
)
