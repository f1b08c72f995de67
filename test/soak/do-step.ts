import { postEvent, writeConfiguration, writeRow } from './configuration-steps.ts'
import { importAppend, importFull, importKeyed, importShared, renameTable } from './import-steps.ts'
import { landAppend, landFull, landKeyed, landShared } from './landing-steps.ts'
import { exportTable, extract, keepFile, runExportMachine } from './reading-steps.ts'
import type { Step, StepKind } from './schedule.ts'
import type { StepContext } from './step-context.ts'

const steps: Readonly<Record<StepKind, (context: StepContext, step: Step) => Promise<void>>> = {
  landFull,
  landAppend,
  landKeyed,
  landShared,
  importFull,
  importAppend,
  importKeyed,
  importShared,
  rename: renameTable,
  configuration: writeConfiguration,
  row: writeRow,
  event: postEvent,
  file: keepFile,
  export: exportTable,
  exportMachine: runExportMachine,
  extraction: extract,
}

/** Rejects when it was answered what must not be, or was not acknowledged in time. */
export const doStep = (context: StepContext, step: Step): Promise<void> => steps[step.kind](context, step)
