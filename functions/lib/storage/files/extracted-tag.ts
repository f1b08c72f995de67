/** Of the files that a run of the extractor loads. An API sent their cells, which may repeat a secret: no message does. */
export const EXTRACTED_TAG = 'millrace-extract'
