export interface InitFlags {
  curl?: string
  openapi?: string
  sample?: string
  url?: string
  bucket?: string
  rows?: string
  yes?: boolean
  /** `--no-secrets`: false. */
  secrets?: boolean
}
