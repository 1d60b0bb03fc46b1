(** Threads: what a parallel loop means.

    A thread is a tree of single reads and writes of shared memory. The iterations of a
    concurrent loop, on threads or in vector lanes, are interleaved in any way whatever, at the
    grain of single accesses, nested loops included; variables declared inside an iteration
    are private to it.

    [tree] [run]     threads and their effect on memory
    [hide v f t]     variable v, initially f, becomes private to t
    [interleaved]    one way to interleave n threads
    [behaves c ie t] t is one of the behaviours of command c *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Safety imp.Flat.
Import ListNotations.

Section THREADS.
  Context (sg : nat -> nat) (K : scalars) (junk : nat -> nat -> num K).

  Notation size_val := (size_val sg).
  Notation address := (address sg).

  Inductive tree : Type :=
  | Done
  | Get (l : cell) (next : num K -> tree)
  | Put (l : cell) (x : num K) (next : tree).

  Fixpoint run (t : tree) (m : mem K) : mem K :=
    match t with
    | Done => m
    | Get l next => run (next (m (fst l) (snd l))) m
    | Put l x next => run next (poke K m (fst l) (snd l) x)
    end.

  Fixpoint followed (t u : tree) : tree :=
    match t with
    | Done => u
    | Get l next => Get l (fun x => followed (next x) u)
    | Put l x next => Put l x (followed next u)
    end.

  Fixpoint hide (v : nat) (f : nat -> num K) (t : tree) : tree :=
    match t with
    | Done => Done
    | Get l next =>
        if fst l =? v then hide v f (next (f (snd l))) else Get l (fun x => hide v f (next x))
    | Put l x next =>
        if fst l =? v then hide v (fun a => if a =? snd l then x else f a) next
        else Put l x (hide v f next)
    end.

  (** The reads of an expression, left to right; a conditional reads one branch. *)
  Fixpoint evaluate (ie : nat -> nat) (e : fexp) (next : num K -> tree) : tree :=
    match e with
    | FRead v i => Get (v, address ie i) next
    | FConst c => next (cst K c)
    | FIndex i => next (position K (ixe_val sg ie i))
    | FOp1 o e1 => evaluate ie e1 (fun x => next (op1 K o x))
    | FOp2 o e1 e2 => evaluate ie e1 (fun x => evaluate ie e2 (fun y => next (op2 K o x y)))
    | FOp3 o e1 e2 e3 =>
        evaluate ie e1 (fun x => evaluate ie e2 (fun y => evaluate ie e3 (fun z =>
          next (op3 K o x y z))))
    | FIf g e1 e2 => if guard_val sg ie g then evaluate ie e1 next else evaluate ie e2 next
    end.

  Definition put_thread (ts : nat -> tree) (j : nat) (t : tree) : nat -> tree :=
    fun i => if i =? j then t else ts i.

  Inductive interleaved (n : nat) : (nat -> tree) -> tree -> Prop :=
  | AllDone ts : (forall j, j < n -> ts j = Done) -> interleaved n ts Done
  | OneGets ts j l next next1 :
      j < n -> ts j = Get l next ->
      (forall x, interleaved n (put_thread ts j (next x)) (next1 x)) ->
      interleaved n ts (Get l next1)
  | OnePuts ts j l x t u :
      j < n -> ts j = Put l x t -> interleaved n (put_thread ts j t) u ->
      interleaved n ts (Put l x u).

  Inductive behaves : fcomm -> (nat -> nat) -> tree -> Prop :=
  | RunSkip ie : behaves FSkip ie Done
  | RunSeq ie c1 c2 t1 t2 :
      behaves c1 ie t1 -> behaves c2 ie t2 -> behaves (FSeq c1 c2) ie (followed t1 t2)
  | RunAssign ie v i e :
      behaves (FAssign v i e) ie (evaluate ie e (fun x => Put (v, address ie i) x Done))
  | RunNew ie v n c t : behaves c ie t -> behaves (FNew v n c) ie (hide v (junk v) t)
  | RunFor ie k i n c ts :
      concurrent k = false ->
      (forall j, j < size_val n -> behaves c (bind ie i j) (ts j)) ->
      behaves (FFor k i n c) ie (iterate (size_val n) (fun j t => followed t (ts j)) Done)
  | RunPar ie k i n c ts t :
      concurrent k = true ->
      (forall j, j < size_val n -> behaves c (bind ie i j) (ts j)) ->
      interleaved (size_val n) ts t -> behaves (FFor k i n c) ie t
  | RunWithin ie i n lo hi c ts :
      (forall j, j < count_of sg ie n lo hi -> behaves c (bind ie i (first_of sg ie lo + j)) (ts j)) ->
      behaves (FWithin i n lo hi c) ie (iterate (count_of sg ie n lo hi) (fun j t => followed t (ts j)) Done).
End THREADS.
