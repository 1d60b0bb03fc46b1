(** The paper's rules of code generation, by number.

    cgc are the rules of commands, cga of acceptors, cge of expressions. Paths are lists of
    index terms and halves, innermost step first as in the paper; an access is then a flat
    variable and an index. Corrected are cga.4, cga.5 (the inner length counts), cge.5 and
    cge.6 (the zip goes); see [lower.Counterexamples]. *)

From Coq Require Import NArith List Bool String.
From Vouch Require Import lib.Size array.Syntax imp.Syntax imp.Flat imp.Gather imp.Safety.
From Vouch Require Import lower.Lower lower.Flatten certify.Print.
Import ListNotations.

Section COMMANDS.
  Context (nm : names) (indent : nat).
  Local Open Scope string_scope.

  Lemma cgc_1 : c_stmt nm indent FSkip = line indent (say ";").
  Proof. reflexivity. Qed.

  Lemma cgc_2 c1 c2 :
    c_stmt nm indent (FSeq c1 c2) = join (c_stmt nm indent c1) (c_stmt nm indent c2).
  Proof. reflexivity. Qed.

  Lemma cgc_3 v i e : c_stmt nm indent (FAssign v i e) =
    line indent (join (c_access nm v i) (join (say " = ") (join (c_expr nm (c_element nm v) e) (say ";")))).
  Proof. reflexivity. Qed.

  (** A number is declared as what is computed, not [int]. *)
  Lemma cgc_4 v c : c_stmt nm indent (FNew v None c) =
    join (line indent (say "{"))
      (join (join (line (S indent)
                     (join (say (c_type (c_temporary nm))) (join (say " ") (join (c_var nm v) (say ";")))))
                  (c_stmt nm (S indent) c))
            (line indent (say "}"))).
  Proof. reflexivity. Qed.

  Definition for_header (i : nat) (n : size) : text :=
    join (say "for (int64_t ") (join (c_loop nm i) (join (say " = 0; ")
      (join (c_loop nm i) (join (say " < ") (join (c_size nm n) (join (say "; ")
        (join (c_loop nm i) (say " += 1) {")))))))).

  (** But for a read at an index that is data, which has a text of its own. *)
  Lemma cgc_5 i n c : gather_of (FFor Seq i n c) = None ->
    c_stmt nm indent (FFor Seq i n c) =
    join (c_pragma nm indent Seq n c)
      (join (line indent (for_header i n))
        (join (c_stmt nm (S indent) c) (line indent (say "}")))).
  Proof. intros none. cbn [c_stmt]. rewrite none. reflexivity. Qed.

  Lemma cgc_6 i n c : counts_blocks n = false ->
    c_stmt nm indent (FFor Par i n c) =
    join (line indent (say "#pragma omp parallel for"))
      (join (line indent (for_header i n))
        (join (c_stmt nm (S indent) c) (line indent (say "}")))).
  Proof. intros counted. cbn [c_stmt gather_of c_pragma]. rewrite counted. reflexivity. Qed.

  (** The paper's extensions: indices, and the assignment of arrays. *)
  Lemma cge_idxpred n : c_index nm (XSub (XSize n) (XSize (SConst 1))) =
    binary " - " (c_size nm n) (decimal 1).
  Proof. reflexivity. Qed.

  Lemma cge_addidx a b : c_index nm (XAdd a b) = binary " + " (c_index nm a) (c_index nm b).
  Proof. reflexivity. Qed.

  Lemma cge_subidx a b : c_index nm (XSub a b) = binary " - " (c_index nm a) (c_index nm b).
  Proof. reflexivity. Qed.

  Lemma cge_mulidx a b : c_index nm (XMul a b) = binary " * " (c_index nm a) (c_index nm b).
  Proof. reflexivity. Qed.

  Lemma cge_dividx a b : c_index nm (XDiv a b) = binary " / " (c_index nm a) (c_index nm b).
  Proof. reflexivity. Qed.

  Lemma cgc_array g n d k a x :
    c_stmt nm indent (flatten g (assign (TAry n d) k a x)) =
    c_stmt nm indent (flatten g (CFor Seq k n (assign d (S k) (acc_at a k) (view_at x k)))).
  Proof. reflexivity. Qed.
End COMMANDS.

Section ACCEPTORS.
  Context (a : acc) (p : spath) (i j : ixe).

  Lemma cga_1 v : acc_spath (AVar v) p = p.
  Proof. reflexivity. Qed.

  Lemma cga_2 : acc_spath (AStep FstStep (AStep (LayStep LZip) a)) (XIx i :: p) =
    acc_spath a (XIx i :: XLft :: p).
  Proof. reflexivity. Qed.

  Lemma cga_3 : acc_spath (AStep SndStep (AStep (LayStep LZip) a)) (XIx i :: p) =
    acc_spath a (XIx i :: XRgt :: p).
  Proof. reflexivity. Qed.

  Lemma cga_4 n m : acc_spath (AStep (LayStep (LSplit n m)) a) (XIx i :: p) =
    acc_spath a (XIx (xdiv i (XSize n)) :: XIx (XMod i (XSize n)) :: p).
  Proof. reflexivity. Qed.

  Lemma cga_5 n m : acc_spath (AStep (LayStep (LJoin n m)) a) (XIx i :: XIx j :: p) =
    acc_spath a (XIx (xadd (xmul i (XSize n)) j) :: p).
  Proof. reflexivity. Qed.

  Lemma cga_6 : acc_spath (AStep (AtStep i) a) p = acc_spath a (XIx i :: p).
  Proof. reflexivity. Qed.

  Lemma cga_7 : acc_spath (AStep FstStep a) p = acc_spath a (XLft :: p).
  Proof. reflexivity. Qed.

  Lemma cga_8 : acc_spath (AStep SndStep a) p = acc_spath a (XRgt :: p).
  Proof. reflexivity. Qed.
End ACCEPTORS.

Section EXPRESSIONS.
  Context (g : ty_env) (x y : view) (p : spath) (i j : ixe).

  Lemma cge_1 v : flat_view g (IVar v) p = FRead v (offset (g v) p).
  Proof. reflexivity. Qed.

  Lemma cge_2 : flat_view g (IOp (Op1 Neg) x) [] = FOp1 Neg (flat_view g x []).
  Proof. reflexivity. Qed.

  Lemma cge_3 : flat_view g (IOp (Op2 Add) (IPair x y)) [] =
    FOp2 Add (flat_view g x []) (flat_view g y []).
  Proof. reflexivity. Qed.

  Lemma cge_4 : flat_view g (IOp (Op2 Mul) (IPair x y)) [] =
    FOp2 Mul (flat_view g x []) (flat_view g y []).
  Proof. reflexivity. Qed.

  Lemma cge_5 : flat_view g (ILay LZip (IPair x y)) (XIx i :: XLft :: p) =
    flat_view g x (XIx i :: p).
  Proof. reflexivity. Qed.

  Lemma cge_6 : flat_view g (ILay LZip (IPair x y)) (XIx i :: XRgt :: p) =
    flat_view g y (XIx i :: p).
  Proof. reflexivity. Qed.

  Lemma cge_7 : flat_view g (ILay (LAt i) x) p = flat_view g x (XIx i :: p).
  Proof. reflexivity. Qed.

  Lemma cge_8 n m : flat_view g (ILay (LSplit n m) x) (XIx i :: XIx j :: p) =
    flat_view g x (XIx (xadd (xmul i (XSize n)) j) :: p).
  Proof. reflexivity. Qed.

  Lemma cge_9 n m : flat_view g (ILay (LJoin n m) x) (XIx i :: p) =
    flat_view g x (XIx (xdiv i (XSize n)) :: XIx (XMod i (XSize n)) :: p).
  Proof. reflexivity. Qed.

  Lemma cge_10 : flat_view g (IPair x y) (XLft :: p) = flat_view g x p.
  Proof. reflexivity. Qed.

  Lemma cge_11 : flat_view g (IPair x y) (XRgt :: p) = flat_view g y p.
  Proof. reflexivity. Qed.

  Lemma cge_12 : flat_view g (ILay LFst x) p = flat_view g x (XLft :: p).
  Proof. reflexivity. Qed.

  Lemma cge_13 : flat_view g (ILay LSnd x) p = flat_view g x (XRgt :: p).
  Proof. reflexivity. Qed.

  (** The paper's extensions. *)
  Lemma cge_sqrt : flat_view g (IOp (Op1 Sqrt) x) [] = FOp1 Sqrt (flat_view g x []).
  Proof. reflexivity. Qed.

  Lemma cge_abs : flat_view g (IOp (Op1 Abs) x) [] = FOp1 Abs (flat_view g x []).
  Proof. reflexivity. Qed.

  Lemma cge_reverse n : flat_view g (ILay (LRev n) x) (XIx i :: p) =
    flat_view g x (XIx (XSub (XSize n) (XAdd i (XSize (SConst 1)))) :: p).
  Proof. reflexivity. Qed.
End EXPRESSIONS.
