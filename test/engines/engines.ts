import { runSuites } from '../contracts/run-suites.ts'
import { type EngineRun, startEngineRun } from './engine-run.ts'
import { engineSuites } from './engine-suites.ts'
import { mergeSuite } from './merge-suite.ts'

/** `npm run engines`, or `npm run engines -- spark trino`: all engines, or those that are named, on one `npm start`. */
let started: Promise<EngineRun> | undefined
const start = (): Promise<EngineRun> => {
  started ??= startEngineRun()
  return started
}
try {
  await runSuites([...engineSuites(start), mergeSuite], process.argv.slice(2))
} finally {
  await started?.then(run => run.close())
}
