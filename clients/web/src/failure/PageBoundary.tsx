import type { ErrorComponentProps } from "@tanstack/react-router";
import { Page } from "@/shell/Page";
import { Button } from "@/ui/Button";
import { Banner } from "@/ui/Banner";
import { FailureState } from "./FailureState";

/** The files of a page could not be loaded: a newer version has others, or the connection is lost. */
export class PageLoadError extends Error {
  constructor(cause: unknown) {
    super("The page could not be loaded.", { cause });
  }
}

/** What is shown in place of a page that threw. */
export function PageBoundary({ error, reset }: ErrorComponentProps) {
  if (isMissingChunk(error)) return <PageMissing />;
  return (
    <Page title="This page failed" hideTitle>
      <FailureState error={error} what="show this page" onRetry={reset} />
    </Page>
  );
}

function PageMissing() {
  return (
    <Page title="This page could not be loaded" hideTitle>
      <Banner tone="info" actions={<Button onPress={() => location.reload()}>Reload</Button>}>
        This page could not be loaded. A new version of Causeway is there, or the connection is lost.
      </Banner>
    </Page>
  );
}

function isMissingChunk(error: unknown): boolean {
  if (error instanceof PageLoadError) return true;
  return error instanceof Error && /dynamically imported module|module script failed|Unable to preload/i.test(error.message);
}
