import type { S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import type { ExportDocuments } from '../../lib/distributed/export-documents.ts'
import type { LoadDocuments } from '../../lib/distributed/load-documents.ts'
import type { GzipLimits } from '../../lib/distributed/load-limits.ts'
import type { LoadPlace } from '../../lib/distributed/load-place.ts'
import { type LoadStage, piecesState } from '../../lib/distributed/load-stages.ts'
import type { StepEvent } from '../../lib/drive/step.ts'
import { parseEvent } from '../../lib/errors/parse-event.ts'
import type { TableFiles } from '../../lib/table-engine/files/table-files.ts'
import type { TableEngine } from '../../lib/table-engine/table-engine.ts'

/** A piece of a load or of an export that outgrows one function. Each may be done again, and writes the same. */
export type Piece =
  | { step: LoadStage; load: LoadPlace; item: number }
  | { step: 'part'; jobId: number; correlationId?: string; item: number }

/** What the input of the job machine always says. */
export const jobOfInput = z.object({ jobId: z.int().positive() })

/** The piece that the job machine asks for. */
export const pieceOf = ({ input, state, part }: Pick<StepEvent, 'input' | 'state' | 'part'>): Piece => {
  const pieces = parseEvent(piecesState, state)
  const item = parseEvent(z.int().nonnegative(), part)
  if (pieces && 'load' in pieces) return { step: pieces.stage, load: pieces.load, item }
  const { jobId } = parseEvent(jobOfInput, input)
  return { step: 'part', jobId, item, ...(pieces && { correlationId: pieces.correlationId }) }
}

export interface PieceServices {
  s3: S3Client
  tablesBucket: string
  files: Pick<TableFiles, 'readDataFile'>
  /** Of loads. */
  documents: LoadDocuments
  exports: ExportDocuments
  tableEngine: () => Promise<TableEngine>
  /** Bytes of CSV that one invocation scans or stages. */
  rangeBytes: number
  gzipLimits: GzipLimits
}
