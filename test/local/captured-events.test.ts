import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { type FunctionName, functionNames } from '../../infra/system.ts'

const dataDir = folderUntilEnd()
const cloud = await untilEnd(startCloud({ dataDir }))

const events = join(import.meta.dirname, '../../events')

const failure = z.object({ errorMessage: z.string().optional() })

/** What the function says that its event lacks, or has too much. Undefined: it was read, whatever came of it. */
const refusalOf = async (name: FunctionName, event: string): Promise<string | undefined> => {
  const invoked = await cloud.host.invoke(name, JSON.parse(event))
  const { errorMessage = '' } = 'failure' in invoked ? failure.parse(invoked.failure) : {}
  return errorMessage.startsWith('The event is not valid') ? errorMessage : undefined
}

/** Events that are refused, and how. */
const refused: Readonly<Record<string, RegExp>> = {
  'start-import/object-deleted.json': /neither an "Object Created" event nor/,
  'poll-job/without-start.json': /at since/,
}

it.each(functionNames)('%s reads each event of its triggers as it comes', async name => {
  const files = await readdir(join(events, name))
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) {
    const refusal = await refusalOf(name, await readFile(join(events, name, file), 'utf8'))
    const wanted = refused[`${name}/${file}`]
    expect([file, refusal]).toEqual([file, wanted === undefined ? undefined : expect.stringMatching(wanted)])
  }
})
