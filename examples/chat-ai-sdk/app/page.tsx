import { Chat } from "./chat";

export default async function Page({ searchParams }: { searchParams: Promise<{ id?: string }> }) {
  const { id = "first" } = await searchParams;
  return <Chat id={id} />;
}
