import type { LandedObject } from '#functions/start-import/event.ts'
import type { ImportEnd } from '#support/landing.ts'
import type { World } from './world.ts'

/** The import machine from the event to the end of the job. Rejects where the machine died. */
export const importObject = async (
  { landing, hook }: World,
  object: LandedObject,
  execution: string,
): Promise<ImportEnd> => landing.execute(object, hook, execution)
