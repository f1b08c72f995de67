interface RecordingPlace {
  componentId: string
  configId: string
  rowId?: string | undefined
}

/** The storage service lets nobody but the stack give it, so a file that has it is what a run has kept. */
export const RECORDING_TAG = 'millrace-recording'

/** By these the last good or the last bad recording of a configuration's row is found among the files. */
export const recordingTags = (
  { componentId, configId, rowId }: RecordingPlace,
  end: 'good' | 'bad',
): string[] => [
  RECORDING_TAG,
  `recording-${end}`,
  [componentId, configId, rowId].filter(part => part !== undefined).join('/'),
]
