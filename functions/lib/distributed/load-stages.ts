import { z } from 'zod'
import type { LoadDocuments } from './load-documents.ts'
import { type LoadPlace, loadPlace } from './load-place.ts'

/**
 * What the machine does of a load that outgrows one function, in this order: opens its files, uncompresses what is compressed,
 * cuts the files into ranges, scans the ranges, says what comes before each, stages the rows.
 */
const loadStages = ['open', 'uncompress', 'cut', 'scan', 'fold', 'stage'] as const
export type LoadStage = (typeof loadStages)[number]

/** The document that says what the pieces of a stage are. The other stages are one piece. */
const plans = { uncompress: 'opened', scan: 'cut', stage: 'folded' } as const

/** What `run-job` passes on while others do pieces of its work: a stage of its load, or the parts of its export. */
export const piecesState = z.nullable(
  z.union([
    z.object({ load: loadPlace, stage: z.enum(loadStages) }),
    z.object({ exports: z.literal(true), correlationId: z.string() }),
  ]),
)

interface Stage {
  stage: LoadStage
  /** Numbers of pieces. */
  parts: number[]
}

/**
 * The stage after this one that has something to do. `undefined`: none has, and `run-job` commits the load, or reports why a stage
 * has refused it, which leaves nothing to do.
 *
 * @param after `undefined`: nothing was done yet
 */
export const nextStage = async (
  load: LoadPlace,
  after: LoadStage | undefined,
  documents: Pick<LoadDocuments, 'read'>,
): Promise<Stage | undefined> => {
  const left = loadStages.slice(after === undefined ? 0 : loadStages.indexOf(after) + 1)
  for (const stage of left) {
    const parts = await piecesOf(load, stage, documents)
    if (parts.length > 0) return { stage, parts }
  }
  return undefined
}

const piecesOf = async (
  load: LoadPlace,
  stage: LoadStage,
  documents: Pick<LoadDocuments, 'read'>,
): Promise<number[]> => {
  if (stage === 'open' || stage === 'cut' || stage === 'fold') return [0]
  const plan = await documents.read(load, plans[stage])
  return 'groups' in plan ? plan.groups.map((_, index) => index) : []
}
