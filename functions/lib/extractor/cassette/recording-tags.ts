/** Where a recording belongs. */
interface RecordingPlace {
  componentId: string
  configId: string
  rowId?: string | undefined
}

/** By these the last good or the last bad recording of a configuration's row is found among the files. */
export const recordingTags = (
  { componentId, configId, rowId }: RecordingPlace,
  end: 'good' | 'bad',
): string[] => [
  'millrace-recording',
  `recording-${end}`,
  [componentId, configId, rowId].filter(part => part !== undefined).join('/'),
]
