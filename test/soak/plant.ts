import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { linkPackages } from '../support/link-packages.ts'

interface Edit {
  readonly file: string
  /** Found exactly once, so that a plant never silently plants nothing. */
  readonly from: string
  readonly to: string
}

/** Bugs that the soak must find, as edits of the product's sources. */
export const plants = {
  /** Heads of tables and configurations move whether or not they have moved since they were read. */
  head: [
    {
      file: 'functions/lib/storage/tables/table-store.ts',
      from: 'tableKey(table), item, { internalId, revision })',
      to: 'tableKey(table), item)',
    },
    {
      file: 'functions/lib/storage/configurations/configuration-head-store.ts',
      from: "from ? { revision: from.revision } : 'absent'",
      to: "from ? undefined : 'absent'",
    },
    {
      // On one machine a single process serves the API and makes one write of all that wait. In the cloud many do, and
      // only the condition is between them.
      file: 'functions/lib/storage/configurations/configuration-store.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source
      from: 'change(`${place.branchId}/${place.componentId}/${place.configId}`, { place, step }),',
      to: 'change(crypto.randomUUID(), { place, step }),',
    },
  ],
  /** Each request makes a job of its own, whatever its key says. */
  idempotency: [
    {
      file: 'functions/storage-api/jobs/submit-job.ts',
      from: 'if (idempotencyKey === undefined) return',
      to: 'if (idempotencyKey !== null) return',
    },
  ],
  /** A job gets its place in the queue of its table some time after it is stored, whatever has begun by then. */
  queue: [
    {
      file: 'functions/lib/storage/jobs/job-store.ts',
      from: 'const place = await queueOf(job).enter(queueTableId, id)',
      to: 'const place = { before: 0 }',
    },
    {
      file: 'functions/lib/storage/jobs/job-store.ts',
      from: 'before: place.before }) })) return true',
      to: 'before: place.before }) })) { await new Promise(resolve => setTimeout(resolve, 2_000 * Math.random())); await queueOf(job).enter(queueTableId, id); return true }',
    },
    {
      file: 'functions/run-job/job/take-table.ts',
      from: "if (!('overtakenBy' in place)) {",
      to: 'if (place) {',
    },
  ],
  /** Versions of one key are imported newest first. */
  sequencer: [
    {
      file: 'functions/start-import/version-chain.ts',
      from: '.toReversed()',
      to: '',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Edit[]>>
export type Plant = keyof typeof plants

const copied = [
  'cli',
  'functions',
  'infra',
  'local',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
]

/** A copy of the program, for plants. The program itself is never touched. */
export const copyProgram = async (from: string, target: string): Promise<void> => {
  await mkdir(join(target, 'node_modules'), { recursive: true })
  await Promise.all([
    ...copied.map(name => cp(join(from, name), join(target, name), { recursive: true })),
    linkPackages(join(from, 'node_modules'), join(target, 'node_modules')),
  ])
}

/** Puts the bug into a copy. */
export const plantBug = async (plant: Plant, target: string): Promise<void> => {
  for (const { file, ...edit } of plants[plant]) {
    const path = join(target, file)
    await writeFile(path, edited(await readFile(path, 'utf8'), { file, ...edit }))
  }
}

const edited = (text: string, { file, from, to }: Edit): string => {
  const places = text.split(from)
  if (places.length !== 2)
    throw new Error(`${file} holds ${places.length - 1} times what the plant replaces: ${from}`)
  return places.join(to)
}
