import { pathInside } from '#lib/paths/path-inside.ts'

/** Folders of answers that are not read as plain JSON. */
export interface AnswerSpool {
  /** Bodies while they are read: nothing of them outlives a leg. */
  bodies: string
  /** Items that are not yet written to tables. The next leg needs them. */
  items: string
}

/** Below the folder of spooled rows, so that what the next leg needs goes along. */
export const answerSpool = (spoolDir: string): AnswerSpool => ({
  bodies: pathInside(spoolDir, 'bodies'),
  items: pathInside(spoolDir, 'items'),
})
