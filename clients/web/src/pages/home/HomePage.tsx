import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function HomePage() {
  return (
    <Page title="Home">
      <SkeletonRows />
    </Page>
  );
}
