export interface InitFlags {
  curl?: string
  bucket?: string
  rows?: string
  yes?: boolean
  /** `--no-secrets`: false. */
  secrets?: boolean
}
