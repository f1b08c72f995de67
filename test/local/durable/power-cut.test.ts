import { existsSync, mkdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Durability } from '#local/durable/durability.ts'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { randomFrom } from '../../support/random.ts'
import { RecordingDisk } from '../../support/recording-disk.ts'
import { emptyModel, findLosses, type Model, prepare, writeAll } from './model.ts'
import { openStores, type Stores } from './stores.ts'

const folder = folderUntilEnd()

interface Cut {
  readonly image: string
  readonly known: Model
  readonly root: Stores['root'] | undefined
  readonly secret: string | undefined
}

/** Writes to new stores, and cuts the power now and then: what each cut left, and what was acknowledged by then. */
const cutPower = async (seed: number, durability: Durability, everySteps: number): Promise<Cut[]> => {
  const random = randomFrom(seed)
  const dataDir = join(folder, `${durability}-${seed}`)
  mkdirSync(dataDir)
  const disk = new RecordingDisk(dataDir)
  const model = emptyModel()
  const cuts: Cut[] = []
  let opened: Stores | undefined
  disk.onStep = () => {
    if (random() > 1 / everySteps) return
    const image = `${dataDir}-cut-${cuts.length}`
    disk.cut(image, random)
    cuts.push({ image, known: structuredClone(model), root: opened?.root, secret: opened?.secret })
  }
  const stores = await openStores(dataDir, new DurableFiles({ durability, disk }), () => {})
  opened = stores
  try {
    await prepare(stores)
    await writeAll(stores, model, 12)
  } finally {
    disk.onStep = undefined
    await stores.close()
  }
  return cuts
}

const lossesOf = async ({ image, known, root, secret }: Cut): Promise<string[]> => {
  const lines: string[] = []
  const stores = await openStores(image, new DurableFiles(), line => lines.push(line))
  try {
    const losses = await findLosses(stores, known)
    if (root && stores.root.secretAccessKey !== root.secretAccessKey) losses.push('the account’s key')
    if (secret && stores.secret !== secret) losses.push('the secret')
    for (const name of await readdir(join(image, 'executions')))
      if (name.endsWith('.tmp')) losses.push(`left over: ${name}`)
    return [...losses, ...lines]
  } finally {
    await stores.close()
  }
}

it.each([1, 2, 3])(
  'a power cut loses nothing that was acknowledged, and every start works (seed %i)',
  async seed => {
    const cuts = await cutPower(seed, 'full', 60)
    expect(cuts.length).toBeGreaterThanOrEqual(7)
    for (const cut of cuts) expect(await lossesOf(cut)).toEqual([])
  },
)

it('the same cuts without syncing do lose: the test can fail', async () => {
  const [cut] = (await cutPower(1, 'relaxed', 60)).slice(-1)
  if (!cut) throw new Error('the power was not cut')
  expect(existsSync(cut.image)).toBe(true)
  const losses = await lossesOf(cut).catch(error => [`no start: ${String(error)}`])
  expect(losses).not.toEqual([])
})
