(** Flat programs, a small part of C: syntax and sequential meaning.

    Every variable is a scalar or one array of scalars in a row; an access is a variable and
    an index. Names are those of the imperative language.

    [fexp] [fcomm]   expressions and commands
    [feval] [fexec]  their meaning, loops in order
    [fcomm_safe]     every access within its variable, every index term defined, concurrent
                     loops race-free
    [fcomm_reads] [fcomm_writes]   the cells touched outside own variables *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Safety.
Import ListNotations.

(** [FRead v None] reads a scalar variable, [FRead v (Some i)] element i of an array; [FIndex i] is
    the number i. *)
Inductive fexp : Type :=
| FRead (v : nat) (i : option ixe)
| FConst (c : const)
| FIndex (i : ixe)
| FOp1 (o : uop) (e : fexp)
| FOp2 (o : bop) (e1 e2 : fexp)
| FOp3 (o : top) (e1 e2 e3 : fexp)
| FIf (g : guard) (e1 e2 : fexp).

(** [FNew v None c] declares a scalar, [FNew v (Some n) c] an array of n scalars. [FWithin i n lo hi c]: c for those i
    below n that no difference of [lo] exceeds and every difference of [hi] does, one after the other. Differences stop at 0. *)
Inductive fcomm : Type :=
| FSkip
| FSeq (c1 c2 : fcomm)
| FAssign (v : nat) (i : option ixe) (e : fexp)
| FNew (v : nat) (n : option size) (c : fcomm)
| FFor (k : kind) (i : nat) (n : size) (c : fcomm)
| FWithin (i : nat) (n : size) (lo hi : list (ixe * ixe)) (c : fcomm).

Definition cell : Type := (nat * nat)%type.

Section FLAT.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).

  Definition address (ie : nat -> nat) (i : option ixe) : nat :=
    match i with
    | None => 0
    | Some e => ixe_val sg ie e
    end.

  Definition pair_difference (ie : nat -> nat) (p : ixe * ixe) : nat := ixe_val sg ie (fst p) - ixe_val sg ie (snd p).

  (** The first iteration, and the one after the last. *)
  Definition first_of (ie : nat -> nat) (lo : list (ixe * ixe)) : nat :=
    fold_right (fun p r => Nat.max (pair_difference ie p) r) 0 lo.

  Definition end_of (ie : nat -> nat) (n : size) (hi : list (ixe * ixe)) : nat :=
    fold_right (fun p r => Nat.min (pair_difference ie p) r) (size_val n) hi.

  Definition count_of (ie : nat -> nat) (n : size) (lo hi : list (ixe * ixe)) : nat := end_of ie n hi - first_of ie lo.

  Section EXEC.
    Context (K : scalars) (junk : nat -> nat -> num K).

    Definition mem : Type := nat -> nat -> num K.

    Fixpoint feval (ie : nat -> nat) (m : mem) (e : fexp) : num K :=
      match e with
      | FRead v i => m v (address ie i)
      | FConst c => cst K c
      | FIndex i => position K (ixe_val sg ie i)
      | FOp1 o e1 => op1 K o (feval ie m e1)
      | FOp2 o e1 e2 => op2 K o (feval ie m e1) (feval ie m e2)
      | FOp3 o e1 e2 e3 => op3 K o (feval ie m e1) (feval ie m e2) (feval ie m e3)
      | FIf g e1 e2 => if guard_val sg ie g then feval ie m e1 else feval ie m e2
      end.

    Definition poke (m : mem) (v a : nat) (x : num K) : mem :=
      fun w b => if w =? v then if b =? a then x else m w b else m w b.

    Definition set_mem (m : mem) (v : nat) (f : nat -> num K) : mem :=
      fun w b => if w =? v then f b else m w b.

    Fixpoint fexec (c : fcomm) (ie : nat -> nat) (m : mem) : mem :=
      match c with
      | FSkip => m
      | FSeq c1 c2 => fexec c2 ie (fexec c1 ie m)
      | FAssign v i e => poke m v (address ie i) (feval ie m e)
      | FNew v _ c1 => set_mem (fexec c1 ie (set_mem m v (junk v))) v (m v)
      | FFor _ i n c1 => iterate (size_val n) (fun j => fexec c1 (bind ie i j)) m
      | FWithin i n lo hi c1 => iterate (count_of ie n lo hi) (fun j => fexec c1 (bind ie i (first_of ie lo + j))) m
      end.
  End EXEC.

  Fixpoint fexp_reads (ie : nat -> nat) (e : fexp) (l : cell) : Prop :=
    match e with
    | FRead v i => l = (v, address ie i)
    | FConst _ | FIndex _ => False
    | FOp1 _ e1 => fexp_reads ie e1 l
    | FOp2 _ e1 e2 => fexp_reads ie e1 l \/ fexp_reads ie e2 l
    | FOp3 _ e1 e2 e3 => fexp_reads ie e1 l \/ fexp_reads ie e2 l \/ fexp_reads ie e3 l
    | FIf g e1 e2 => if guard_val sg ie g then fexp_reads ie e1 l else fexp_reads ie e2 l
    end.

  Fixpoint fcomm_writes (c : fcomm) (ie : nat -> nat) (l : cell) : Prop :=
    match c with
    | FSkip => False
    | FSeq c1 c2 => fcomm_writes c1 ie l \/ fcomm_writes c2 ie l
    | FAssign v i _ => l = (v, address ie i)
    | FNew v _ c1 => fcomm_writes c1 ie l /\ fst l <> v
    | FFor _ i n c1 => exists j, j < size_val n /\ fcomm_writes c1 (bind ie i j) l
    | FWithin i n lo hi c1 => exists j, j < count_of ie n lo hi /\ fcomm_writes c1 (bind ie i (first_of ie lo + j)) l
    end.

  Fixpoint fcomm_reads (c : fcomm) (ie : nat -> nat) (l : cell) : Prop :=
    match c with
    | FSkip => False
    | FSeq c1 c2 => fcomm_reads c1 ie l \/ fcomm_reads c2 ie l
    | FAssign _ _ e => fexp_reads ie e l
    | FNew v _ c1 => fcomm_reads c1 ie l /\ fst l <> v
    | FFor _ i n c1 => exists j, j < size_val n /\ fcomm_reads c1 (bind ie i j) l
    | FWithin i n lo hi c1 => exists j, j < count_of ie n lo hi /\ fcomm_reads c1 (bind ie i (first_of ie lo + j)) l
    end.

  (** [ext v]: the number of scalars in variable v. *)
  Definition access_safe (extent : nat -> nat) (ie : nat -> nat) (v : nat) (i : option ixe)
      : Prop :=
    address ie i < extent v /\ match i with None => True | Some e => ixe_safe sg ie e end.

  Fixpoint fexp_safe (extent : nat -> nat) (ie : nat -> nat) (e : fexp) : Prop :=
    match e with
    | FRead v i => access_safe extent ie v i
    | FConst _ => True
    | FIndex i => ixe_safe sg ie i
    | FOp1 _ e1 => fexp_safe extent ie e1
    | FOp2 _ e1 e2 => fexp_safe extent ie e1 /\ fexp_safe extent ie e2
    | FOp3 _ e1 e2 e3 =>
        fexp_safe extent ie e1 /\ fexp_safe extent ie e2 /\ fexp_safe extent ie e3
    | FIf g e1 e2 =>
        guard_safe sg ie g /\
        if guard_val sg ie g then fexp_safe extent ie e1 else fexp_safe extent ie e2
    end.

  Definition fdisjoint (i n : nat) (c : fcomm) (ie : nat -> nat) : Prop :=
    forall j j1 l, j < n -> j1 < n -> j <> j1 -> fcomm_writes c (bind ie i j) l ->
      ~ fcomm_reads c (bind ie i j1) l /\ ~ fcomm_writes c (bind ie i j1) l.

  Definition set_extent (extent : nat -> nat) (v : nat) (n : option size) : nat -> nat :=
    fun w => if w =? v then match n with None => 1 | Some s => size_val s end else extent w.

  Definition pairs_safe (ie : nat -> nat) (l : list (ixe * ixe)) : Prop :=
    Forall (fun p => ixe_safe sg ie (fst p) /\ ixe_safe sg ie (snd p)) l.

  Fixpoint fcomm_safe (extent : nat -> nat) (c : fcomm) (ie : nat -> nat) : Prop :=
    match c with
    | FSkip => True
    | FSeq c1 c2 => fcomm_safe extent c1 ie /\ fcomm_safe extent c2 ie
    | FAssign v i e => access_safe extent ie v i /\ fexp_safe extent ie e
    | FNew v n c1 => fcomm_safe (set_extent extent v n) c1 ie
    | FFor k i n c1 =>
        (forall j, j < size_val n -> fcomm_safe extent c1 (bind ie i j)) /\
        (concurrent k = true -> fdisjoint i (size_val n) c1 ie)
    | FWithin i n lo hi c1 =>
        pairs_safe ie lo /\ pairs_safe ie hi /\
        forall j, j < count_of ie n lo hi -> fcomm_safe extent c1 (bind ie i (first_of ie lo + j))
    end.

  Lemma poke_other K (m : mem K) v a x w b : (w, b) <> (v, a) -> poke K m v a x w b = m w b.
  Proof.
    unfold poke. intros other. destruct (Nat.eqb_spec w v) as [w_v|]; [|reflexivity].
    destruct (Nat.eqb_spec b a) as [b_a|]; [|reflexivity]. congruence.
  Qed.

  Lemma set_mem_other K (m : mem K) v f w b : w <> v -> set_mem K m v f w b = m w b.
  Proof. unfold set_mem. destruct (Nat.eqb_spec w v); congruence. Qed.

  Lemma set_mem_same K (m : mem K) v f b : set_mem K m v f v b = f b.
  Proof. unfold set_mem. rewrite Nat.eqb_refl. reflexivity. Qed.

  Lemma fexec_frame K junk c : forall ie (m : mem K) v a,
    ~ fcomm_writes c ie (v, a) -> fexec K junk c ie m v a = m v a.
  Proof.
    induction c as [|c1 IH1 c2 IH2|w i e|w n c IHc|k i n c IHc|i n lo hi c IHc]; simpl; intros ie m v a no.
    - reflexivity.
    - rewrite IH2, IH1; tauto.
    - apply poke_other. intros same. apply no, same.
    - destruct (Nat.eq_dec v w) as [v_w|v_w].
      + rewrite v_w. apply set_mem_same.
      + rewrite set_mem_other, IHc, set_mem_other; auto.
    - assert (KEEP : forall r, r <= size_val n ->
        iterate r (fun j => fexec K junk c (bind ie i j)) m v a = m v a).
      { intros r. induction r as [|r IHr]; simpl; intros r_le; [reflexivity|].
        rewrite IHc; [apply IHr; lia|]. intros writes. apply no. exists r. auto. }
      apply KEEP. apply le_n.
    - assert (KEEP : forall r, r <= count_of ie n lo hi ->
        iterate r (fun j => fexec K junk c (bind ie i (first_of ie lo + j))) m v a = m v a).
      { intros r. induction r as [|r IHr]; simpl; intros r_le; [reflexivity|].
        rewrite IHc; [apply IHr; lia|]. intros writes. apply no. exists r. auto. }
      apply KEEP. apply le_n.
  Qed.
End FLAT.
