import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApi } from '../functions/lib/extractor/api-server.ts'
import type { SoakArguments } from './arguments.ts'
import { Book } from './book.ts'
import { CloudProcess } from './cloud-process.ts'
import { comparePhase } from './compare-phase.ts'
import { compareDataFiles, compareFileObjects } from './left-overs.ts'
import type { Difference } from './model.ts'
import { answerShop } from './reading-steps.ts'
import { runPhase } from './run-phase.ts'
import { phaseOf, type ScheduleOptions } from './schedule.ts'

export interface SoakReport {
  readonly seed: number
  readonly minutes: number
  readonly phases: number
  /** Writes that were asked for, retries included, and exports. */
  readonly operations: number
  readonly kills: number
  readonly starts: number
  readonly seconds: number
  readonly differences: readonly Difference[]
}

export interface SoakOptions extends SoakArguments {
  /** Default: `usualSchedule`. */
  readonly schedule?: ScheduleOptions
  /** Takes one line at a time. */
  readonly log: (line: string) => void
}

/** Runs phases until the time is over or something differs. The folder stays when something does. */
export const runSoak = async (options: SoakOptions): Promise<SoakReport> => {
  const { seed, minutes, durability, schedule, log } = options
  const folder = await mkdtemp(join(tmpdir(), 'millrace-soak-'))
  const dataDir = join(folder, 'data')
  await mkdir(dataDir, { mode: 0o700 })
  const cloud = new CloudProcess({
    dataDir,
    durability,
    logFile: join(folder, 'cloud.log'),
  })
  const leaveNothingRunning = () => cloud.abandon()
  process.once('exit', leaveNothingRunning)
  const shop = await startApi(answerShop)
  const books: Book[] = []
  const differences: Difference[] = []
  let startedAt = Date.now()
  const report = (): SoakReport => ({
    seed,
    minutes,
    phases: books.length,
    operations: books.reduce((sum, { operations }) => sum + operations, 0),
    kills: cloud.kills,
    starts: cloud.starts,
    seconds: Math.round((Date.now() - startedAt) / 1000),
    differences,
  })
  const progress = setInterval(() => {
    const { phases, operations, kills, starts, seconds } = report()
    log(`${seconds} s: phase ${phases}, ${operations} operations, ${kills} kills, ${starts} starts`)
  }, 60_000)
  try {
    await cloud.start()
    // The first start makes the bundles; that is nobody's soak.
    startedAt = Date.now()
    while (differences.length === 0 && Date.now() - startedAt < minutes * 60_000) {
      const book = new Book(books.length)
      books.push(book)
      const context = { cloud, book, shop, dataDir }
      differences.push(...(await runPhase(context, phaseOf(seed, book.phase, schedule))))
    }
    if (differences.length === 0) differences.push(...(await compareTheEnd(cloud, books, { dataDir, log })))
  } catch (error) {
    differences.push({
      subject: 'soak',
      step: 0,
      message: error instanceof Error ? error.message : String(error),
    })
  } finally {
    clearInterval(progress)
    await cloud.end('SIGKILL')
    await shop.close()
    process.off('exit', leaveNothingRunning)
  }
  if (differences.length === 0) await rm(folder, { recursive: true, force: true })
  else log(`The data directory and what the process printed are kept in ${folder}`)
  return report()
}

/** Nothing that came later changed an earlier phase, and nothing is left that belongs to nobody. */
const compareTheEnd = async (
  cloud: CloudProcess,
  books: readonly Book[],
  { dataDir, log }: { dataDir: string; log: (line: string) => void },
): Promise<Difference[]> => {
  const facts = await cloud.up()
  const differences: Difference[] = []
  for (const book of books) differences.push(...(await comparePhase(facts, book)))
  differences.push(...(await compareFileObjects(facts, log)))
  await cloud.end('SIGTERM')
  return [...differences, ...(await compareDataFiles(dataDir))]
}
