(** Products that are added without being rounded: fused multiply-add, by choice.

    The meaning of a kernel does not change, the scalars do: [fusing K] has products that are not
    rounded yet. What is added to another number, as it is, is rounded once, by [Fma]; everything
    else rounds a product first. So a kernel in index notation says what is fused, and no plan
    decides it. Mirrored by src/certify/index_fuse.cpp.

    [fusing K]       the scalars; [round] gives the number of K
    [fuse]           a functional program with its additions of products as [Fma]
    [solid]          no product is left unrounded, where variables are as said
    [clean]          what is added is a product in the term itself, or no product at all
    [fuse_eval]      the fused program over K is the program over [fusing K], rounded
    [unfused]        scalars whose [Fma] is a product and a sum, as of the real numbers
    [ComputesFused]  what a certificate says
    [fuses_to]       what it checks *)

From Coq Require Import Arith ZArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics schedule.Strategy.
From Vouch Require Import imp.Flat imp.Threads lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Parse certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof.
Import ListNotations.

Section FUSING.
  Context (K : scalars).

  Inductive unrounded : Type := Rounded (x : num K) | Product (x y : num K).

  Definition round (a : unrounded) : num K :=
    match a with Rounded x => x | Product x y => op2 K Mul x y end.

  Definition fused_sum (a b : unrounded) : num K :=
    match b with
    | Rounded y => op2 K Add (round a) y
    | Product x y => op3 K Fma x y (round a)
    end.

  Definition fusing : scalars := {|
    num := unrounded;
    cst := fun c => Rounded (cst K c);
    op1 := fun o a => Rounded (op1 K o (round a));
    op2 := fun o a b =>
      match o with
      | Add => Rounded (fused_sum a b)
      | Mul => Product (round a) (round b)
      | _ => Rounded (op2 K o (round a) (round b))
      end;
    op3 := fun o a b c => Rounded (op3 K o (round a) (round b) (round c)) |}.

  (** A tensor of numbers. *)
  Definition as_rounded (t : tensor K) : tensor fusing := fun indices => Rounded (t indices).
End FUSING.

Arguments Rounded {K}.
Arguments Product {K}.
Arguments round {K}.

(** ** Programs *)

Definition fused_op (o : sop) (e : exp) : exp :=
  match o, e with
  | Op2 Add, EPair a (EOp (Op2 Mul) (EPair x y)) => EOp (Op3 Fma) (EPair x (EPair y a))
  | _, _ => EOp o e
  end.

Fixpoint fuse (e : exp) : exp :=
  match e with
  | EVar x => EVar x
  | ECst d c => ECst d c
  | EOp o e1 => fused_op o (fuse e1)
  | EPair e1 e2 => EPair (fuse e1) (fuse e2)
  | ELay l e1 => ELay l (fuse e1)
  | EPad lo n hi c e1 => EPad lo n hi c (fuse e1)
  | EIf g e1 e2 => EIf g (fuse e1) (fuse e2)
  | EMap k n d1 d2 f e1 => EMap k n d1 d2 (fuse f) (fuse e1)
  | ERed w n d1 d2 f i e1 => ERed w n d1 d2 (fuse f) (fuse i) (fuse e1)
  | ELet e1 e2 => ELet (fuse e1) (fuse e2)
  | EMem d e1 => EMem d (fuse e1)
  | ECat n m d e1 e2 => ECat n m d (fuse e1) (fuse e2)
  end.

(** S: of each data variable, whether it holds rounded numbers alone; others do. Of a reduction both
    are looked at: its steps may begin with either. *)
Fixpoint solid (S : list bool) (e : exp) : bool :=
  match e with
  | EVar x => nth x S true
  | ECst _ _ => true
  | EOp o _ => match o with Op2 Mul => false | _ => true end
  | EPair e1 e2 => solid S e1 && solid S e2
  | ELay _ e1 | EPad _ _ _ _ e1 | EMem _ e1 => solid S e1
  | EIf _ e1 e2 | ECat _ _ _ e1 e2 => solid S e1 && solid S e2
  | EMap _ _ _ _ f e1 => solid (solid S e1 :: S) f
  | ERed _ _ _ _ f i e1 => solid S i && solid (solid S e1 :: true :: S) f
  | ELet e1 e2 => solid (solid S e1 :: S) e2
  end.

(** Of the argument of an operation. *)
Definition addition_clean (S : list bool) (o : sop) (e : exp) : bool :=
  match o with
  | Op2 Add =>
      match e with
      | EPair _ (EOp (Op2 Mul) (EPair _ _)) => true
      | EPair _ b => solid S b
      | _ => false
      end
  | _ => true
  end.

Fixpoint clean (S : list bool) (e : exp) : bool :=
  match e with
  | EVar _ | ECst _ _ => true
  | EOp o e1 => addition_clean S o e1 && clean S e1
  | EPair e1 e2 => clean S e1 && clean S e2
  | ELay _ e1 | EPad _ _ _ _ e1 | EMem _ e1 => clean S e1
  | EIf _ e1 e2 | ECat _ _ _ e1 e2 => clean S e1 && clean S e2
  | EMap _ _ _ _ f e1 => clean S e1 && clean (solid S e1 :: S) f
  | ERed _ _ _ _ f i e1 =>
      clean S i && clean S e1 && solid S i &&
      solid (solid S e1 :: true :: S) f && clean (solid S e1 :: true :: S) f
  | ELet e1 e2 => clean S e1 && clean (solid S e1 :: S) e2
  end.

Section EVAL.
  Context (sg : nat -> nat) (K : scalars).

  Notation F := (fusing K).

  (** The same numbers, all rounded if [s]. *)
  Definition rounds (s : bool) (v : value K) (w : value F) : Prop :=
    forall p, round (w p) = v p /\ (s = true -> w p = Rounded (v p)).

  Definition rounds_env (S : list bool) (vs : list (value K)) (ws : list (value F)) : Prop :=
    forall x, rounds (nth x S true) (nth x vs (zero_value K)) (nth x ws (zero_value F)).

  Lemma rounds_cons s v w S vs ws :
    rounds s v w -> rounds_env S vs ws -> rounds_env (s :: S) (v :: vs) (w :: ws).
  Proof. intros first rest [|x]; cbn; [exact first | apply rest]. Qed.

  Lemma rounds_zero s : rounds s (zero_value K) (zero_value F).
  Proof. intros p. split; reflexivity. Qed.

  Lemma rounds_iterate n f g v w : rounds true v w ->
    (forall j a b, rounds true a b -> rounds true (f j a) (g j b)) ->
    rounds true (iterate n f v) (iterate n g w).
  Proof. intros start step. induction n as [|n IHn]; cbn; [exact start | apply step, IHn]. Qed.

  Lemma rounds_weaken s v w : rounds true v w -> rounds s v w.
  Proof. intros all p. destruct (all p) as [same known]. split; [exact same | intros _; now apply known]. Qed.

  Lemma rounds_at s v w f : rounds s v w -> rounds s (fun p => v (f p)) (fun p => w (f p)).
  Proof. intros all p. apply all. Qed.

  Lemma rounds_and s t v w : rounds (s && t) v w -> s = true -> t = true -> rounds true v w.
  Proof. intros all -> ->. exact all. Qed.

  (** Operations on what is the same once it is rounded, with what is added rounded. *)
  Lemma rounds_op s o v w : rounds s v w -> (o = Op2 Add -> w [Rgt] = Rounded (v [Rgt])) ->
    rounds (match o with Op2 Mul => false | _ => true end)
      (fun _ => apply_op K o v) (fun _ => apply_op F o w).
  Proof.
    intros same added p.
    pose proof (fun q => proj1 (same q)) as at_path.
    destruct o as [o|o|o]; [|destruct o|]; cbn; rewrite ?(added eq_refl); cbn; rewrite ?at_path;
      split; intros; try reflexivity; discriminate.
  Qed.

  Definition faithful (e : exp) : Prop := forall S iv vs ws, clean S e = true -> rounds_env S vs ws ->
    rounds (solid S e) (eval sg K iv vs (fuse e)) (eval sg F iv ws e).

  Lemma faithful_pair a b : faithful a -> faithful b -> faithful (EPair a b).
  Proof.
    intros IH1 IH2 S iv vs ws ok env. cbn [clean] in ok.
    apply andb_true_iff in ok as [ok1 ok2]. cbn [fuse solid eval]. intros p.
    specialize (IH1 S iv vs ws ok1 env). specialize (IH2 S iv vs ws ok2 env).
    destruct p as [|[j| |] q]; try (split; reflexivity).
    - destruct (IH1 q) as [same all]. split; [exact same|].
      intros both. apply andb_true_iff in both as [here _]. exact (all here).
    - destruct (IH2 q) as [same all]. split; [exact same|].
      intros both. apply andb_true_iff in both as [_ here]. exact (all here).
  Qed.

  (** What is added is no product in the term. *)
  Lemma faithful_op o e : faithful e -> fuse (EOp o e) = EOp o (fuse e) ->
    (o = Op2 Add -> exists a b, e = EPair a b /\ faithful b /\ forall S, clean S (EOp o e) = true -> solid S b = true) ->
    faithful (EOp o e).
  Proof.
    intros IH same added S iv vs ws ok env. rewrite same. cbn [solid eval].
    pose proof ok as ok_e. cbn [clean] in ok_e. apply andb_true_iff in ok_e as [_ ok_e].
    apply (rounds_op (solid S e)); [apply IH; assumption|].
    intros is_add. destruct (added is_add) as (a & b & -> & IHb & rounded).
    cbn [clean] in ok_e. apply andb_true_iff in ok_e as [_ ok_b].
    exact (proj2 (IHb S iv vs ws ok_b env []) (rounded S ok)).
  Qed.

  Lemma faithful_product a x y : faithful a -> faithful x -> faithful y ->
    faithful (EOp (Op2 Add) (EPair a (EOp (Op2 Mul) (EPair x y)))).
  Proof.
    intros IHa IHx IHy S iv vs ws ok env p. cbn [clean addition_clean] in ok.
    cbn [andb] in ok. apply andb_true_iff in ok as [ok_a ok]. apply andb_true_iff in ok as [ok_x ok_y].
    cbn. pose proof (proj1 (IHa S iv vs ws ok_a env [])) as a_is.
    pose proof (proj1 (IHx S iv vs ws ok_x env [])) as x_is.
    pose proof (proj1 (IHy S iv vs ws ok_y env [])) as y_is.
    rewrite a_is, x_is, y_is. split; reflexivity.
  Qed.

  Lemma fused_shape o e : fused_op o e = EOp o e \/ exists e1, fused_op o e = EOp (Op3 Fma) e1.
  Proof.
    destruct o as [o|o|o]; [now left | | now left].
    destruct o; try now left. destruct e as [| | |a b| | | | | | | |]; try now left.
    destruct b as [| |o b| | | | | | | | |]; try now left.
    destruct o as [o|o|o]; try now left. destruct o; try now left.
    destruct b as [| | |x y| | | | | | | |]; try now left. right. now eexists.
  Qed.

  Lemma fuse_eval_all : forall e, faithful e.
  Proof.
    fix IH 1. intros e. destruct e as [x|d c|o e1|e1 e2|l e1|lo n hi c e1|g e1 e2
      |k n d1 d2 f e1|w n d1 d2 f i e1|e1 e2|d e1|n m d e1 e2].
    3: { destruct o as [o|o|o];
         [apply faithful_op; [apply IH | reflexivity | discriminate] |
         |apply faithful_op; [apply IH | reflexivity | discriminate]].
         destruct o;
           try (apply faithful_op; [apply IH | reflexivity | discriminate]).
         destruct e1 as [| |o1 e1|a b| | | | | | | |];
           try (intros S iv vs ws ok; discriminate ok).
         pose proof (IH a) as a_ok. pose proof (IH b) as b_ok.
         destruct b as [| |o1 b| | | | | | | | |];
           try (apply faithful_op; [exact (faithful_pair _ _ a_ok b_ok) | reflexivity |];
                intros _; eexists; eexists; split; [reflexivity|]; split; [exact b_ok|];
                intros S ok; cbn [clean addition_clean] in ok; apply andb_true_iff in ok as [ok _]; exact ok).
         assert (OTHER : solid [] (EOp o1 b) = true -> faithful (EOp (Op2 Add) (EPair a (EOp o1 b)))).
         { intros known. apply faithful_op; [exact (faithful_pair _ _ a_ok b_ok) | |].
           - cbn [fuse fused_op]. destruct (fused_shape o1 (fuse b)) as [->|[e1 ->]]; [|reflexivity].
             destruct o1 as [o1|o1|o1]; try reflexivity. destruct o1; try reflexivity. discriminate known.
           - intros _. eexists. eexists. split; [reflexivity|]. split; [exact b_ok|].
             intros S _. exact known. }
         destruct o1 as [o1|o1|o1]; [apply OTHER; reflexivity | | apply OTHER; reflexivity].
         destruct o1; try (apply OTHER; reflexivity). clear OTHER.
         destruct b as [| | |x y| | | | | | | |];
           try (intros S iv vs ws ok; discriminate ok).
         apply faithful_product; apply IH. }
    3: apply faithful_pair; apply IH.
    all: intros S iv vs ws ok env; cbn [clean] in ok.
    - apply env.
    - intros p. cbn. unfold const_at. destruct c, p as [|[]]; split; reflexivity.
    - cbn [fuse solid eval]. apply (rounds_at _ _ _ (lay_path sg (index_env iv) l)), IH; assumption.
    - cbn [fuse solid eval]. intros p. destruct p as [|[j| |] q]; try (split; reflexivity).
      destruct ((size_val sg lo <=? j) && (j <? size_val sg lo + size_val sg n)); [|split; reflexivity].
      exact (IH e1 S iv vs ws ok env _).
    - apply andb_true_iff in ok as [ok1 ok2]. cbn [fuse solid eval]. intros p.
      destruct (guard_val sg (index_env iv) g).
      + destruct (IH e1 S iv vs ws ok1 env p) as [same all]. split; [exact same|].
        intros both. apply andb_true_iff in both as [here _]. exact (all here).
      + destruct (IH e2 S iv vs ws ok2 env p) as [same all]. split; [exact same|].
        intros both. apply andb_true_iff in both as [_ here]. exact (all here).
    - apply andb_true_iff in ok as [ok1 okf]. cbn [fuse solid eval]. intros p.
      destruct p as [|[j| |] q]; try (split; reflexivity).
      apply (IH f (solid S e1 :: S)); [exact okf|]. apply rounds_cons; [|exact env].
      apply (rounds_at _ _ _ (cons (Ix j))), IH; assumption.
    - repeat (apply andb_true_iff in ok as [ok ?]). cbn [fuse solid eval].
      match goal with i_ok : solid S i = true, f_ok : solid _ f = true |- _ => rewrite i_ok, f_ok end.
      cbn [andb]. apply rounds_iterate.
      + match goal with i_ok : solid S i = true |- _ => rewrite <- i_ok end. apply IH; assumption.
      + intros j a b acc.
        match goal with f_ok : solid _ f = true |- _ => rewrite <- f_ok end.
        apply IH; [assumption|]. apply rounds_cons; [|apply rounds_cons; assumption].
        apply (rounds_at _ _ _ (cons (Ix j))), IH; assumption.
    - apply andb_true_iff in ok as [ok1 ok2]. cbn [fuse solid eval].
      apply IH; [exact ok2|]. apply rounds_cons; [|exact env]. apply IH; assumption.
    - cbn [fuse solid eval]. apply IH; assumption.
    - apply andb_true_iff in ok as [ok1 ok2]. cbn [fuse solid eval]. intros p.
      destruct p as [|[j| |] q]; try (split; reflexivity).
      destruct (j <? size_val sg n).
      + destruct (IH e1 S iv vs ws ok1 env (Ix j :: q)) as [same all]. split; [exact same|].
        intros both. apply andb_true_iff in both as [here _]. exact (all here).
      + destruct (IH e2 S iv vs ws ok2 env (Ix (j - size_val sg n) :: q)) as [same all]. split; [exact same|].
        intros both. apply andb_true_iff in both as [_ here]. exact (all here).
  Qed.

  (** Inputs are rounded. *)
  Lemma rounds_inputs vs x :
    rounds true (nth x vs (zero_value K)) (nth x (map (fun v q => Rounded (v q)) vs) (zero_value F)).
  Proof.
    revert x. induction vs as [|v vs IH]; intros [|x]; cbn; try (intros p; split; reflexivity). apply IH.
  Qed.

  Lemma fuse_eval e iv vs p : clean [] e = true ->
    eval sg K iv vs (fuse e) p = round (eval sg F iv (map (fun v q => Rounded (v q)) vs) e p).
  Proof.
    intros ok. symmetry. apply (fuse_eval_all e [] iv vs); [exact ok|].
    intros x. apply rounds_weaken, rounds_inputs.
  Qed.

  (** Where [Fma] is a product and a sum, nothing changes. *)
  Definition unfused : Prop := forall x y z, op3 K Fma x y z = op2 K Add z (op2 K Mul x y).

  Lemma fused_op_eval (LAW : unfused) o e iv vs p :
    eval sg K iv vs (fused_op o e) p = eval sg K iv vs (EOp o e) p.
  Proof.
    destruct o as [o|o|o]; try reflexivity. destruct o; try reflexivity.
    destruct e as [| | |a b| | | | | | | |]; try reflexivity.
    destruct b as [| |o b| | | | | | | | |]; try reflexivity.
    destruct o as [o|o|o]; try reflexivity. destruct o; try reflexivity.
    destruct b as [| | |x y| | | | | | | |]; try reflexivity. cbn. apply LAW.
  Qed.

  Lemma unfused_eval_env (LAW : unfused) e : forall iv vals vals1, same_env K vals vals1 ->
    same K (eval sg K iv vals (fuse e)) (eval sg K iv vals1 e).
  Proof.
    induction e as [x|d c|o e1 IH1|e1 IH1 e2 IH2|l e1 IH1|lo n hi c e1 IH1|g e1 IH1 e2 IH2
      |k n d1 d2 f IHf e1 IH1|w n d1 d2 f IHf i IHi e1 IH1|e1 IH1 e2 IH2|d e1 IH1
      |n m d e1 IH1 e2 IH2]; cbn [fuse]; intros iv vals vals1 env p.
    3: { rewrite (fused_op_eval LAW). cbn [eval]. apply apply_op_same, IH1, env. }
    all: cbn [eval].
    - apply env.
    - reflexivity.
    - destruct p as [|[i| |] q]; try reflexivity; [apply IH1 | apply IH2]; exact env.
    - apply IH1, env.
    - destruct p as [|[i| |] q]; try reflexivity.
      destruct ((size_val sg lo <=? i) && (i <? size_val sg lo + size_val sg n));
        [apply IH1, env | reflexivity].
    - destruct (guard_val sg (index_env iv) g); [apply IH1 | apply IH2]; exact env.
    - destruct p as [|[i| |] q]; try reflexivity.
      apply IHf, same_env_cons; [|exact env]. intros r. apply IH1, env.
    - apply iterate_same; [apply IHi, env|]. intros j a b acc. apply IHf.
      apply same_env_cons; [intros r; apply IH1, env|]. apply same_env_cons; assumption.
    - apply IH2, same_env_cons; [|exact env]. apply IH1, env.
    - apply IH1, env.
    - destruct p as [|[i| |] q]; try reflexivity.
      destruct (i <? size_val sg n); [apply IH1 | apply IH2]; exact env.
  Qed.
End EVAL.

(** ** Certificates *)

(** The functional program [c] has at every element the kernel's value over [fusing], rounded: for any
    scalars. Where [Fma] is a product and a sum, that is the kernel's value. *)
Definition ComputesFused (ik : ikernel) (c : source) : Prop :=
  kernel_facts c = ik_facts ik /\
  kernel_inputs c = ik_inputs ik /\
  kernel_output c = array_ty (st_extents (ik_output ik)) /\
  forall sg, facts_hold sg (ik_facts ik) ->
  forall K m indices, below sg indices (st_extents (ik_output ik)) ->
    let xs := map (tensor_of K) (input_values sg K (kernel_inputs c) m) in
    kernel_value sg K c m (map Ix indices) =
      round (ikernel_val sg (fusing K) (map (as_rounded K) xs) ik indices) /\
    (unfused K -> kernel_value sg K c m (map Ix indices) = ikernel_val sg K xs ik indices).

(** [c] is the program [plain] with its products fused. *)
Definition fuses_to (plain c : source) : Prop :=
  (kernel_facts c, kernel_inputs c, kernel_output c, kernel_term c, clean [] (kernel_term plain)) =
  (kernel_facts plain, kernel_inputs plain, kernel_output plain, fuse (kernel_term plain), true).

Lemma input_values_rounded sg K inputs m :
  input_values sg (fusing K) inputs (fun v a => Rounded (m v a)) =
  map (fun v q => Rounded (v q)) (input_values sg K inputs m).
Proof. unfold input_values. rewrite map_map. reflexivity. Qed.

Theorem fuses_to_sound ik plain c : ComputesIndex ik plain -> fuses_to plain c -> ComputesFused ik c.
Proof.
  intros (facts & inputs & output & VALUE) same. unfold fuses_to in same.
  injection same as facts_c inputs_c output_c term ok.
  split; [congruence|]. split; [congruence|]. split; [congruence|].
  intros sg FACTS K m indices INSIDE xs. unfold xs, kernel_value. rewrite term, inputs_c. split.
  - rewrite (fuse_eval sg K _ _ _ _ ok), <- input_values_rounded.
    pose proof (VALUE sg FACTS (fusing K) (fun v a => Rounded (m v a)) indices INSIDE) as value.
    unfold kernel_value in value. rewrite value, input_values_rounded, !map_map. reflexivity.
  - intros LAW. rewrite <- (VALUE sg FACTS K m indices INSIDE).
    apply (unfused_eval_env sg K LAW). intros x q. reflexivity.
Qed.

(** All together: under every interleaving, that is what the text leaves in the output. *)
Theorem certified_fused ik c text : Certified c text -> ComputesFused ik c ->
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (kernel_facts c) ->
  let D := ty_val sg (kernel_output c) in
  forall K junk ie m t, behaves sg K junk (file_body f) ie t ->
  forall indices, below sg indices (st_extents (ik_output ik)) -> inb D (map Ix indices) ->
  let xs := map (tensor_of K) (input_values sg K (kernel_inputs c) m) in
  let y := run K t m (List.length (kernel_inputs c)) (place_of D (map Ix indices)) in
  y = round (ikernel_val sg (fusing K) (map (as_rounded K) xs) ik indices) /\
  (unfused K -> y = ikernel_val sg K xs ik indices).
Proof.
  intros [(_ & parsed & COMPUTES & _) _] (facts & _ & _ & VALUE). exists (file_of c).
  split; [exact parsed|]. intros sg FACTS D K junk ie m t RUNS indices INSIDE inside xs y.
  destruct (COMPUTES sg FACTS K junk ie m t RUNS) as (result & _).
  pose proof (result _ inside) as y_is. fold D in y_is. fold y in y_is. rewrite y_is.
  rewrite facts in FACTS. exact (VALUE sg FACTS K m indices INSIDE).
Qed.

(** [fusing] at work: to a sum, a product is added by [Fma]; to a product, a number by [Add]. *)
Lemma fusing_sums K (x y z : num K) :
  op2 (fusing K) Add (Rounded z) (op2 (fusing K) Mul (Rounded x) (Rounded y)) = Rounded (op3 K Fma x y z) /\
  op2 (fusing K) Add (op2 (fusing K) Mul (Rounded x) (Rounded y)) (Rounded z) =
    Rounded (op2 K Add (op2 K Mul x y) z).
Proof. split; reflexivity. Qed.
